// potrf of a block that fits a core's caches, by one thread. For such blocks the call of a library
// takes longer than the work.
#pragma once

#include <cstdint>

#include <duoblas/types.hpp>

#include "cpu/panel_bands.hpp"
#include "problem/precision.hpp"

namespace duoblas {

class CholeskyBlock {
 public:
  /// For blocks of at most this order. \throws std::bad_alloc.
  CholeskyBlock(Precision precision, Uplo uplo, std::int64_t order);

  /// Returns LAPACK's info. The other triangle is neither read nor written. If info names a minor,
  /// everything behind it stays as it was.
  int factorise(void* a, std::int64_t ld, std::int64_t order);

 private:
  const Precision precision_;
  const Uplo uplo_;
  PanelMemory memory_;
};

}  // namespace duoblas

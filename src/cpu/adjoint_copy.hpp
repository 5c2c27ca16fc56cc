// B = A^H out of place, by the CPU's cores.
#pragma once

#include <cstdint>

#include "problem/precision.hpp"

namespace duoblas {

/// B has `rows` rows of `columns` elements, `ldb` apart; A has `columns` rows of `rows` elements,
/// `lda` apart. Real types: the transpose. B overlaps A nowhere.
struct AdjointCopy {
  Precision precision = Precision::s;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const void* a = nullptr;
  std::int64_t lda = 0;
  void* b = nullptr;
  std::int64_t ldb = 0;
};

/// On at most `threads` threads (0: as many as affinity and the cgroup allow).
void copy_adjoint(const AdjointCopy& copy, int threads);

}  // namespace duoblas

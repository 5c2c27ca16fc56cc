// Rows of which only a triangle is stored, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <duoblas/types.hpp>

#include "problem/precision.hpp"

namespace duoblas {

/// The elements of a rectangle that are stored: those on one side of a diagonal. A copy has zeros
/// in the places of the others, which are not read.
struct TrianglePart {
  Uplo uplo = Uplo::lower;
  Precision precision = Precision::d;
  std::int64_t diagonal = 0;  ///< the column at which it crosses the first row; may lie outside
  bool unit = false;          ///< the diagonal's elements are ones, whatever is stored
  bool operator==(const TrianglePart&) const = default;
};

/// Copies the bytes [at, at + bytes) of a row to `to`; they begin at `from`. \pre whole elements.
void copy_stored(const TrianglePart& part, std::size_t row, std::size_t at, std::size_t bytes,
                 char* to, const char* from) noexcept;

}  // namespace duoblas

// The rows of a square matrix of which one triangle is stored.
#pragma once

#include <algorithm>
#include <cstdint>

#include "problem/level3_problem.hpp"

namespace duoblas {

/// Columns of a row that are stored.
struct StoredColumns {
  std::int64_t begin, end;
};
constexpr StoredColumns stored_of(Uplo uplo, std::int64_t row, std::int64_t size) {
  return uplo == Uplo::lower ? StoredColumns{0, row + 1} : StoredColumns{row, size};
}

/// Copies the stored part of a row, and fills the rest with zeros.
template <typename T, typename W>
void copy_stored(const T* from, Uplo uplo, std::int64_t row, std::int64_t size, W* to) {
  const auto [begin, end] = stored_of(uplo, row, size);
  std::fill(to, to + begin, W(0));
  std::copy(from + begin, from + end, to + begin);
  std::fill(to + end, to + size, W(0));
}

}  // namespace duoblas

// Exchanges of rows: laswp, also by the calling thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "problem/element_types.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// A laswp of these rows with their pivots, which `p` has, in columns of another matrix.
inline LapackProblem exchanges(const LapackProblem& p, const Interval& rows, void* matrix,
                               std::int64_t ld, std::int64_t columns) {
  LapackProblem swaps = p;
  swaps.routine = LapackRoutine::laswp;
  swaps.n = columns;
  swaps.a = matrix;
  swaps.lda = ld;
  swaps.first_row = rows.first;
  swaps.last_row = rows.first + rows.count;
  return swaps;
}

/// Exchanges rows `first_row` to `last_row` - 1 with their pivots, in the n columns of A. A few
/// columns at a time: enough that the pivots are read only a few times, and few enough to stay in a
/// cache.
inline void exchange_rows(const LapackProblem& p) {
  constexpr std::int64_t columns_at_once = 4;
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t column = 0; column < p.n; column += columns_at_once) {
      T* const a = static_cast<T*>(p.a) + column * p.lda;
      const std::int64_t columns = std::min(columns_at_once, p.n - column);
      for (std::int64_t row = p.first_row; row < p.last_row; ++row) {
        const std::int64_t other = p.pivots[row] - 1;
        if (other == row) continue;
        for (std::int64_t j = 0; j < columns; ++j)
          std::swap(a[j * p.lda + row], a[j * p.lda + other]);
      }
    }
  });
}

}  // namespace duoblas

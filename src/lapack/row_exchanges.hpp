// Exchanges of rows: laswp, also by the calling thread or by a team of our own.
#pragma once

#include <cstdint>

#include "cpu/thread_team.hpp"
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

/// Exchanges rows `first_row` to `last_row` - 1 with their pivots, in the n columns of A.
void exchange_rows(const LapackProblem& p);

/// Panels of one width; the last one may be narrower.
struct PanelColumns {
  std::int64_t width = 0, columns = 0;
};
/// In the panels' columns, exchanges those of `rows` that are behind the panel. All at once, so
/// that each column is loaded into a cache once. `team` null: the calling thread does it.
void exchange_behind_panels(const LapackProblem& p, const PanelColumns& panels,
                            const Interval& rows, ThreadTeam* team);

}  // namespace duoblas

// A copy of the columns of A that the device updates in place, made while the first panel is
// factorised. With it and the factors that are there, an update that failed can be undone at any
// step, so no step saves what it overwrites.
#pragma once

#include <cstdint>

#include "engine/saved_pieces.hpp"
#include "lapack/block_steps.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

class SavedColumns {
 public:
  /// Begins to copy the columns from this one on, or as many of the last ones as
  /// SavedPieces::most_bytes hold. `steps` lives as long as this. \throws std::bad_alloc.
  SavedColumns(const BlockSteps& steps, const LapackProblem& p, std::int64_t first);

  /// Whether the columns from this one on are kept.
  bool have(std::int64_t column) const { return column >= first_; }
  /// Returns when those of them that are kept are copied, as SavedPieces does. Until then they do
  /// not change.
  void wait_for(std::int64_t column);

  /// Gives a block of these columns, below the panel, the values that it had before the update with
  /// the panel: A's, with the exchanges of all panels up to this one, less the product of the
  /// factors before it. Those have these exchanges too; rows of U above the block are final. Of
  /// `part`, C counts. \pre not called for an earlier panel later.
  void restore(const GemmProblem& part, const Interval& panel);

 private:
  std::size_t pieces_from(std::int64_t column) const;
  void copy(std::size_t piece) const;

  const BlockSteps& steps_;
  const LapackProblem& p_;
  const std::int64_t first_;
  const std::int64_t columns_at_once_;
  SavedPieces pieces_;        ///< the last columns are the first piece
  std::int64_t swapped_ = 0;  ///< rows whose exchanges were applied to the copy
};

}  // namespace duoblas

// A copy of the stored triangle behind Cholesky's first panels, made while the first one is
// factorised. With it and the factors that are there, an update that failed can be undone at any
// step, so no step saves what it overwrites. Lines are those of the lower triangle, of which an
// upper one is the mirror image.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/saved_pieces.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Lines of a symmetric matrix: rows or columns of its lower triangle.
struct Lines {
  std::int64_t first = 0, end = 0;

  std::int64_t count() const { return end - first; }
};

class SavedTriangle {
 public:
  /// Begins to copy the triangle from this line on, or from a later one on if it has more than
  /// `most_bytes`. The first columns come first. `p` lives as long as this. \throws std::bad_alloc.
  SavedTriangle(const LapackProblem& p, std::int64_t first,
                std::size_t most_bytes = SavedPieces::most_bytes);

  /// Whether the triangle from this line on is kept.
  bool have(std::int64_t line) const { return line >= first_; }
  /// Returns when those of the columns before this one that are kept are copied. Until then they do
  /// not change.
  void wait_for(std::int64_t column);

  /// Gives a rectangle of the triangle the values that it had. \pre have(columns.first), the rows
  /// are behind the columns, and these were waited for.
  void put_back(const Lines& rows, const Lines& columns) const;

 private:
  /// A block of columns, from the diagonal on: a band.
  Lines band_at(std::int64_t number) const;
  /// Where the copy of an element of a band is, in bytes.
  std::size_t place(const Lines& band, std::int64_t row, std::int64_t column) const;
  void copy(const Lines& band) const;

  const LapackProblem& p_;
  const std::int64_t first_;
  SavedPieces bands_;
};

}  // namespace duoblas

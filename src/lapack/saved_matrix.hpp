// A copy of what is updated in place behind a factorisation's first panels, made while the first
// one is factorised. With it and the factors that are there, an update that failed can be undone at
// any step, so no step saves what it overwrites.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/saved_pieces.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Lines of a matrix: rows or columns; of a symmetric one, those of its lower triangle.
struct Lines {
  std::int64_t first = 0, end = 0;

  std::int64_t count() const { return end - first; }
};

/// Of getrf all rows of the last columns. Of potrf the stored triangle, in lines of the lower one,
/// of which an upper one is the mirror image.
class SavedMatrix {
 public:
  /// Begins to copy from this line on, or from a later one on if that has more than `most_bytes`:
  /// of getrf the last columns first, of potrf the first ones. `p` lives as long as this. \throws
  /// std::bad_alloc.
  SavedMatrix(const LapackProblem& p, std::int64_t first,
              std::size_t most_bytes = SavedPieces::most_bytes);

  /// The first line that is kept.
  std::int64_t first() const { return first_; }
  /// Whether the matrix from this line on is kept.
  bool have(std::int64_t line) const { return line >= first_; }
  /// Returns when the columns from this one on (getrf), or those before it (potrf), are copied, if
  /// they are kept. Several threads may call it, as SavedPieces::wait_for(). Until then they do not
  /// change.
  void wait_for(std::int64_t column);

  /// Gives a rectangle the values that it had. \pre have(columns.first), and these were waited for;
  /// of a triangle the rows are behind the columns.
  void put_back(const Lines& rows, const Lines& columns) const;
  /// Of getrf: the copied columns, with no gaps between them.
  void* data() const { return bands_.data(); }

 private:
  bool is_triangle() const { return p_.routine == LapackRoutine::potrf; }
  bool is_by_columns() const { return !is_triangle() || p_.uplo == Uplo::lower; }
  std::int64_t bands_of(std::int64_t lines) const { return (lines + width_ - 1) / width_; }
  std::size_t elements_of(std::int64_t lines, std::int64_t bands) const;
  std::size_t bytes_from(std::int64_t first) const;
  std::int64_t first_saved(std::int64_t first, std::size_t most_bytes) const;
  /// A block of columns; of a triangle from the diagonal on.
  Lines band_at(std::int64_t number) const;
  /// Where the copy of an element of a band is, in bytes.
  std::size_t place(const Lines& band, std::int64_t row, std::int64_t column) const;
  void copy(const Lines& band) const;

  const LapackProblem& p_;
  const std::int64_t width_;  ///< columns of a band
  const std::int64_t first_;
  SavedPieces bands_;
};

}  // namespace duoblas

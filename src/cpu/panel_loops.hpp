// The inner loops of lu_panel.hpp, qr_panel.hpp, cholesky_block.hpp and of inverses of triangles.
// On x86 there are several versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace duoblas {

/// Rows of a panel, column by column, each starting at a cache line. Rows `begin` to `end` take
/// part; both are multiples of panel_unit.
template <typename T>
struct BandOfPanel {
  T* data = nullptr;
  std::int64_t ld = 0;
  std::int64_t begin = 0, end = 0;

  T* column(std::int64_t j) const { return data + j * ld; }
};

/// Elements of the widest vector of floats.
inline constexpr std::int64_t panel_unit = 16;
constexpr std::int64_t in_whole_vectors(std::int64_t count) {
  return (count + panel_unit - 1) / panel_unit * panel_unit;
}

/// Memory that begins at a cache line.
struct PanelMemoryFreed {
  void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};
using PanelMemory = std::unique_ptr<void, PanelMemoryFreed>;
/// \throws std::bad_alloc.
inline PanelMemory panel_memory(std::size_t bytes) {
  return PanelMemory(::operator new (bytes, std::align_val_t{64}));
}

/// Columns of an inverse that are computed at once.
inline constexpr std::int64_t inverse_columns = 8;

/// The largest size in a column, and the first row that has it.
template <typename T>
struct LargestSize {
  T size = -1;  ///< all are NaN
  std::int64_t row = -1;
};

template <typename T>
struct PanelLoops {
  LargestSize<T> (*largest)(const T* column, std::int64_t begin, std::int64_t end);
  /// The largest |re| + |im|, as LAPACK measures complex numbers.
  LargestSize<T> (*largest_sum)(const T* re, const T* im, std::int64_t begin, std::int64_t end);
  /// Multiplies complex numbers by one.
  void (*scale)(T* re, T* im, std::int64_t begin, std::int64_t end, T by_re, T by_im);
  /// Computes the multipliers of a column from its pivot's row, and updates the columns behind it
  /// up to `end`. Returns the largest magnitude of the next column, if that is before `end`.
  /// `divides`: the pivot's reciprocal may overflow.
  LargestSize<T> (*eliminate)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end,
                              const T* row, bool divides);
  /// Subtracts from columns `begin` to `end` the product of columns first to first + depth and rows
  /// of `top`.
  void (*update)(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth,
                 std::int64_t begin, std::int64_t end, const T* top, std::int64_t top_ld);
  /// Solves for rows first to first + depth of `top` with the unit lower triangle in the columns
  /// before, in columns from first + depth, a multiple of panel_unit, to `end`. May overwrite up to
  /// a whole vector behind `end`.
  void (*solve_top)(T* top, std::int64_t ld, std::int64_t first, std::int64_t depth,
                    std::int64_t end);
  /// Columns first to first + inverse_columns of the inverse of the unit lower triangle in the
  /// first `order` rows and columns of `top`, in double precision: `order` rows of `x`, one after
  /// another, from the start of a cache line on. Behind column `order` they are zeros.
  void (*invert_unit)(const T* top, std::int64_t top_ld, std::int64_t order, std::int64_t first,
                      double* x);
  /// potrf of a lower triangle. It is stored column by column, each starting at a cache line, with
  /// `order` rows of whole vectors, the last of which may be zeros. Elements above the diagonal are
  /// overwritten. Returns LAPACK's info for the first `columns`.
  int (*factorise_definite)(T* a, std::int64_t order, std::int64_t columns);
  /// Inverts a lower triangle, whose rows are `down` apart and columns `across`: row by row X_i =
  /// (E_i - sum A_ij X_j) / A_ii, with zeros above the diagonal. Rows of `x` are
  /// in_whole_vectors(order) apart, from the start of a cache line on. `unit`: A's diagonal is
  /// ones. Returns false if some of X is not finite.
  bool (*invert_lower)(const T* a, std::int64_t down, std::int64_t across, std::int64_t order,
                       bool unit, T* x);

  /// For QR: the products of the column with itself and with those behind it up to `end`.
  void (*products)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T* results);
  /// Multiplies the column by `scale`, and subtracts multiples of it from the columns behind it up
  /// to `end`. `factors` are the multiples; the factor of the column itself is not read.
  void (*reflect)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T scale,
                  const T* factors);
  /// Products of columns `first` to first + depth with columns 0 to `end`, as rows of results `ld`
  /// apart.
  void (*inner)(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth,
                std::int64_t end, T* results, std::int64_t ld);
};

/// For this processor.
template <typename T>
const PanelLoops<T>& panel_loops();

/// For x86 processors with more instructions than all of them have. Compiled if
/// DUOBLAS_WIDER_VECTORS is defined.
template <typename T>
const PanelLoops<T>& panel_loops_for_avx2();
template <typename T>
const PanelLoops<T>& panel_loops_for_avx512();

}  // namespace duoblas

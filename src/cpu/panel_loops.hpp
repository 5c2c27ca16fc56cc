// The inner loops of lu_panel.hpp, qr_panel.hpp, cholesky_block.hpp and of inverses of triangles,
// of which there are several versions on x86.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace duoblas {

/// Rows of a panel, column by column, from a cache line's begin on. Rows from `begin` to `end` take
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

/// Memory that begins with a cache line.
struct PanelMemoryFreed {
  void operator()(void* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};
using PanelMemory = std::unique_ptr<void, PanelMemoryFreed>;
/// \throws std::bad_alloc.
inline PanelMemory panel_memory(std::size_t bytes) {
  return PanelMemory(::operator new (bytes, std::align_val_t{64}));
}

/// Of a column, and the first row that has it.
template <typename T>
struct LargestSize {
  T size = -1;  ///< there are only NaN
  std::int64_t row = -1;
};

template <typename T>
struct PanelLoops {
  LargestSize<T> (*largest)(const T* column, std::int64_t begin, std::int64_t end);
  /// Of sums of two magnitudes, as LAPACK has it of complex numbers.
  LargestSize<T> (*largest_sum)(const T* re, const T* im, std::int64_t begin, std::int64_t end);
  /// Complex numbers times one.
  void (*scale)(T* re, T* im, std::int64_t begin, std::int64_t end, T by_re, T by_im);
  /// Multipliers of a column by its pivot's row, and the columns behind it up to `end`. The largest
  /// magnitude of the next column, where that is before `end`. `divides`: the pivot's reciprocal
  /// may overflow.
  LargestSize<T> (*eliminate)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end,
                              const T* row, bool divides);
  /// Columns from first + depth to `end` -= columns first to first + depth times rows of `top`.
  void (*update)(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth,
                 std::int64_t end, const T* top, std::int64_t top_ld);
  /// Rows first to first + depth of `top`, in columns from first + depth, a multiple of panel_unit,
  /// to `end`: solved for with the unit lower triangle in the columns before. Up to a whole vector
  /// behind `end` becomes anything.
  void (*solve_top)(T* top, std::int64_t ld, std::int64_t first, std::int64_t depth,
                    std::int64_t end);
  /// potrf of a lower triangle, column by column from a cache line's begin on, `order` rows of
  /// whole vectors, of which the last ones may be zeros. What is above the diagonal becomes
  /// anything. LAPACK's info of the first `columns`.
  int (*factorise_definite)(T* a, std::int64_t order, std::int64_t columns);
  /// The inverse of a lower triangle, whose rows are `down` apart and columns `across`: X_i = (E_i
  /// - sum A_ij X_j) / A_ii row by row, with zeros above the diagonal. Rows of `x` are
  /// in_whole_vectors(order) apart, from a cache line's begin on. `unit`: A's diagonal is ones.
  /// False: some of X is not finite.
  bool (*invert_lower)(const T* a, std::int64_t down, std::int64_t across, std::int64_t order,
                       bool unit, T* x);

  /// Of QR: products of the column with itself and those behind it up to `end`.
  void (*products)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T* results);
  /// The column times `scale`, and of that the multiples `factors` (of the column itself: not read)
  /// from those behind it up to `end`.
  void (*reflect)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T scale,
                  const T* factors);
  /// Products of columns `first` to first + depth with columns 0 to `end`: rows of results, `ld`
  /// apart.
  void (*inner)(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth,
                std::int64_t end, T* results, std::int64_t ld);
};

/// For this processor.
template <typename T>
const PanelLoops<T>& panel_loops();

/// For processors of x86 that have more than all of them do (DUOBLAS_PANEL_VERSIONS: they are
/// compiled).
template <typename T>
const PanelLoops<T>& panel_loops_for_avx2();
template <typename T>
const PanelLoops<T>& panel_loops_for_avx512();

}  // namespace duoblas

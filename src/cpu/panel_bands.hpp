// How threads share a panel of many rows and few columns. Each has a band of rows, which it copies
// column by column to memory that stays in its cache.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "cpu/panel_loops.hpp"

namespace duoblas {

/// Columns that are eliminated one by one before the columns behind them are updated all at once.
inline constexpr std::int64_t inner_width = 16;

/// With fewer rows a thread of its own does not pay.
inline constexpr std::int64_t fewest_rows_of_thread = 64;
inline int threads_for_panel(std::int64_t rows, int most) {
  return static_cast<int>(std::clamp<std::int64_t>(rows / fewest_rows_of_thread, 1, most));
}

/// Sizes in elements. Each is a whole number of cache lines.
struct PanelBands {
  PanelBands(std::int64_t all_rows, std::int64_t columns, int threads)
      : rows(in_whole_vectors((all_rows + threads - 1) / threads)),
        // Not a power of two: otherwise all columns would use the same sets of the caches.
        ld(rows % (2 * panel_unit) == 0 ? rows + panel_unit : rows),
        width(in_whole_vectors(columns)),
        band(ld * columns),
        count(static_cast<int>((all_rows + rows - 1) / rows)) {}

  std::int64_t rows, ld;  ///< of a band
  std::int64_t width;     ///< of a row of the panel
  std::int64_t band;      ///< size of one
  int count;              ///< bands with rows in them
};

/// One thread's rows of the panel.
template <typename T>
struct PanelBand {
  PanelBand(const PanelBands& bands, std::int64_t all_rows, int of_thread, T* memory)
      : thread(of_thread),
        first(of_thread * bands.rows),
        count(std::min(bands.rows, all_rows - first)),
        stored{memory, bands.ld, 0, in_whole_vectors(count)} {}

  int thread;
  std::int64_t first, count;
  BandOfPanel<T> stored;

  bool has(std::int64_t row) const { return row >= first && row < first + count; }
  T& at(std::int64_t row, std::int64_t column) const { return stored.column(column)[row - first]; }
  /// Rows before this one are finished.
  void shrink(std::int64_t row) {
    const std::int64_t done = std::clamp<std::int64_t>(row - first, 0, count);
    stored.begin =
        done == count ? stored.end : std::min(done / panel_unit * panel_unit, stored.end);
  }
  /// Copies from column-major A. Rows that pad the last vector are zeros.
  void fetch(const T* a, std::int64_t lda, std::int64_t columns) const {
    for (std::int64_t j = 0; j < columns; ++j) {
      T* const column = stored.column(j);
      std::copy_n(a + j * lda + first, count, column);
      std::fill(column + count, column + stored.end, T(0));
    }
  }
  /// The same: columns of real parts and of imaginary parts in turns.
  void fetch(const std::complex<T>* a, std::int64_t lda, std::int64_t columns) const {
    for (std::int64_t j = 0; j < columns; ++j) {
      T *const re = stored.column(2 * j), *const im = stored.column(2 * j + 1);
      const std::complex<T>* const column = a + j * lda + first;
      for (std::int64_t i = 0; i < count; ++i) {
        re[i] = column[i].real();
        im[i] = column[i].imag();
      }
      std::fill(re + count, re + stored.end, T(0));
      std::fill(im + count, im + stored.end, T(0));
    }
  }
};

/// Elements for panels of at most so many rows and columns by at most so many threads. `Places`
/// describes the memory of one panel: Places(rows, columns, threads).all(threads). With fewer
/// threads bands are longer: the sum over all rows is about the same.
template <typename Places>
std::size_t panel_elements(std::int64_t rows, std::int64_t columns, int most_threads) {
  std::int64_t most = 0;
  for (int threads = 1; threads <= most_threads; ++threads) {
    const std::int64_t highest =
        threads == most_threads ? rows : std::min(rows, fewest_rows_of_thread * (threads + 1));
    most = std::max(most, Places(highest, columns, threads).all(threads));
  }
  return static_cast<std::size_t>(most);
}

}  // namespace duoblas

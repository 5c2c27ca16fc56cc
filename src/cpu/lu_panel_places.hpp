// How the memory of an LU panel is laid out, and what its threads tell each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "cpu/panel_bands.hpp"
#include "problem/element_types.hpp"

namespace duoblas {

// The real parts of a complex column are one column of the band, and the imaginary parts the next,
// as in qr_panel.cpp. So all loops but two are those of real numbers. A row of U is then two rows:
// one that real parts of multipliers are multiplied by (re and im in turns), and one for imaginary
// parts (-im and re in turns).
template <typename T>
inline constexpr std::int64_t parts_of = std::is_floating_point_v<T> ? 1 : 2;

/// Sizes are in real numbers.
template <typename T>
struct LuPanelPlaces : PanelBands {
  LuPanelPlaces(std::int64_t all_rows, std::int64_t columns, int threads)
      : PanelBands(all_rows, parts_of<T> * columns, threads),
        top(width * parts_of<T> * columns),
        candidates(2 * parts_of<T> * inner_width),
        swapped(inner_width * width) {}

  std::int64_t of_thread() const { return band + top + candidates; }
  std::int64_t all(int threads) const { return threads * of_thread() + candidates + 2 * swapped; }

  std::int64_t top, candidates, swapped;  ///< sizes
};

/// A thread's candidate for the pivot of a column. Two of them alternate: no thread comes to the
/// column after the next before all have read this one.
template <typename Real>
struct alignas(64) PivotCandidate {
  Real size = -2;  ///< no row is left
  std::int64_t row = 0;
  std::atomic<std::int64_t> columns{0};  ///< the columns up to the one for which it was made
};

/// Whether a thread's rows are where other threads look for them.
struct alignas(64) SwappedRows {
  std::atomic<std::int64_t> columns{0};  ///< up to the end of this inner panel
};

}  // namespace duoblas

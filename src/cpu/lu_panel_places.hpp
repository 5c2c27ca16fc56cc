// How the memory of an LU panel is laid out.
#pragma once

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
        offered(2 * parts_of<T> * panel_leaf),
        traded(panel_leaf * width) {}

  std::int64_t of_thread() const { return band + top + offered; }
  std::int64_t all(int threads) const { return threads * of_thread() + offered + 2 * traded; }

  std::int64_t top, offered, traded;  ///< sizes
};

}  // namespace duoblas

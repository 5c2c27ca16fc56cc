// The recent times of one of several implementations of a call.
#pragma once

#include <array>
#include <cstddef>

#include "timing/median.hpp"

namespace duoblas {

struct RecentTimes {
  int seen = 0;
  std::array<double, 3> last{};  ///< seconds per flop, a ring of the latest

  /// The first call waits for memory and kernels, and does not count.
  static constexpr int until_known = 2;
  bool is_known() const { return seen >= until_known; }
  /// The median of the last ones. \pre is_known()
  double per_flop() const { return upper_median(last, static_cast<std::size_t>(seen - 1)); }
  void saw(double seconds, double flops) {
    if (seen > 0) last[static_cast<std::size_t>(seen - 1) % last.size()] = seconds / flops;
    // The places are taken in turns for ever.
    constexpr int most = 1 << 20, turns = 3;
    seen = seen < most ? seen + 1 : seen + 1 - turns;
  }
};

}  // namespace duoblas

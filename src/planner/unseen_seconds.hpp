// When a slower way is tried again: what was seen of it may have been disturbed.
#pragma once

#include <algorithm>

namespace duoblas {

/// Seconds of calls that were done another way since this one was last done or tried: in this
/// process, and in earlier ones.
struct UnseenSeconds {
  double here = 0, before = 0;

  /// What a try may cost: part of these seconds, since programs of a few calls begin anew each
  /// time; and part of this process's, which may end before it has kept what it found out. As of
  /// products (posterior.cpp).
  static constexpr double part = 0.01, part_of_process = 0.1;
  bool pay_for(double costs) const {
    return costs < std::min(part * all(), part_of_process * here);
  }
  double all() const { return here + before; }
  void add(double seconds) { here += seconds; }
};

}  // namespace duoblas

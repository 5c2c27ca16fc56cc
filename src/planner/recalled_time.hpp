// Whether what an earlier process saw still holds: a way's own calls tell, at no cost.
#pragma once

namespace duoblas {

struct RecalledTime {
  double per_flop = 0;   ///< 0: nothing is recalled, or it is known to be outdated
  int slower_calls = 0;  ///< in a row

  /// A call took `now` seconds per flop. True, once: the second one in a row that took clearly
  /// longer than recalled. Then the machine has changed, and the times of other ways may have.
  bool is_outdated_by(double now) {
    constexpr double clearly = 1.25;  // a choice, not measured; a doubt costs few tries
    constexpr int enough = 2;
    if (per_flop <= 0) return false;
    slower_calls = now > clearly * per_flop ? slower_calls + 1 : 0;
    if (slower_calls < enough) return false;
    per_flop = 0;
    return true;
  }
};

}  // namespace duoblas

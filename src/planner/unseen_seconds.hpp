// When a slower way is tried again: what was seen of it may have been disturbed.
#pragma once

#include <algorithm>

namespace duoblas {

/// Seconds of calls that were done another way since this one was last done or tried: in this
/// process, and in earlier ones.
struct UnseenSeconds {
  double here = 0, before = 0;
  /// Of such seconds, before the last look that showed nothing new: the next one comes after twice
  /// as many.
  double waited = 0;

  /// What a try may cost: part of these seconds, since programs of a few calls begin anew each
  /// time; and part of this process's, which may end before it has kept what it found out.
  static constexpr double part = 0.01, part_of_process = 0.1;
  double for_look() const {
    return all() > 2 * waited ? std::min(part * all(), part_of_process * here) : 0;
  }
  bool pay_for(double costs) const { return costs < for_look(); }
  /// What these calls may have lost, each of which took `best` where this way may take `least`.
  double lost(double least, double best) const { return all() * std::max(0.0, 1 - least / best); }
  /// As if this process had had them all.
  UnseenSeconds as_here() const { return {all(), 0, waited}; }
  double all() const { return here + before; }
  void add(double seconds) { here += seconds; }
  void end(bool is_news) { *this = {0, 0, is_news ? 0 : std::max(waited, all())}; }
};

}  // namespace duoblas

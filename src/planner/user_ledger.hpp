// What all programs of a user had and lost: the bound of what is hoped of unknown ones, and their
// prior.
#pragma once

#include <algorithm>

#include "planner/unseen_seconds.hpp"

namespace duoblas {

/// Over about the last `programs` programs.
struct UserLedger {
  double worked = 0;  ///< seconds of calls
  double lost = 0;    ///< by outlays that did not return what they took
  double hopes = 0;   ///< starts of unknown programs
  double paid = 0;    ///< of these, those that returned what they took

  static constexpr int free_starts = 5;  ///< that a new machine or user has for nothing
  static constexpr int programs = 1000;  ///< that count; earlier ones fade

  /// Whether one more outlay of `cost` may be in vain.
  bool allows(double cost) const {
    return lost + cost <= UnseenSeconds::part * worked + free_starts * cost;
  }

  /// Of an unknown program as much again as so far is expected, if hopes came true in one case of
  /// two. So it is twice that if all did, and nothing if none (the rule of succession).
  double trust() const { return 2 * (paid + 1) / (hopes + 2); }

  /// A program with so many seconds of calls ends. Its outlays took `spent` and brought `won`;
  /// `hoped`: its start was a hope.
  void add(double seconds, double spent, double won, bool hoped) {
    const double fading = 1 - 1.0 / programs;
    worked = fading * worked + seconds;
    lost = std::max(0.0, fading * lost + (spent > 0 ? spent - std::max(0.0, won) : 0));
    hopes = fading * hopes + (hoped ? 1 : 0);
    paid = fading * paid + (hoped && won > spent ? 1 : 0);
  }
};

}  // namespace duoblas

// Which of several ways a call goes, while what they take is known with doubt: the best one as far
// as is known, or another one, to find out what that takes. Pure. The rule is in
// docs/design/learner.md ("One chooser").
#pragma once

#include <cstddef>
#include <span>

#include "planner/unseen_seconds.hpp"

namespace duoblas {

/// What one way of a call is expected to take, and what a try of it costs.
struct Prospect {
  double seconds = 0;      ///< expected; infinite: it is impossible
  double spread = 0;       ///< standard deviation of its logarithm
  double worst = 0;        ///< seconds, the longest that is credible
  bool seen = false;       ///< calls of the class have shown it
  UnseenSeconds unseen{};  ///< the class's calls since then

  /// The best is the one whose seconds times this are least: what it must gain over the others.
  double handicap = 1;
  int calls = 1;                ///< of a try
  double lost = 0;              ///< seconds, by the last try: the next costs no less
  bool may_look = true;         ///< it is looked at although nothing says that it may be better
  bool looks_if_known = false;  ///< also once it is known, if it is expected to take longer

  /// Its time is known well enough: it may take longer than expected, but not by much.
  bool is_known() const { return seen && spread < 0.1; }
};

/// What tries may cost.
struct TryBudget {
  double allowance = 0;  ///< seconds, of all of them
  double at_once = 0;    ///< seconds, of one of what nobody has seen
};

/// What calls may have lost that did not use it, each of which took `best`: what it takes less at
/// best.
double may_have_lost(const Prospect& other, double best);

/// Whether calls may have lost what a try is expected to cost, `costs` more than the best: what it
/// takes less at best; or all their seconds in one case of a hundred, because what is believed of
/// it may be wrong altogether. What nobody has seen is tried where that costs next to nothing.
bool is_try_wanted(const Prospect& other, double best, double costs, const TryBudget& budget);
/// Whether the budget pays for a try, however long it may credibly take. What was seen is expected
/// to take as long again.
bool is_try_safe(const Prospect& other, double best, const TryBudget& budget);
/// Both, of a way other than the best one, which is expected to take `best` seconds.
bool is_try_due(const Prospect& other, double best, const TryBudget& budget);

struct Choice {
  std::size_t best = 0;  ///< as far as is known
  std::size_t way = 0;   ///< another one: it is tried
};
/// Of at least one. The best way first, until it is known what another one can gain; of several
/// that are to be tried the one that is expected to take least.
Choice choose(std::span<const Prospect> ways, const TryBudget& budget);

}  // namespace duoblas

// Which strategy a call uses while times are known with doubt: the best one as far as is known, or
// another one, to find out how fast that is. Pure.
#pragma once

#include "planner/learner.hpp"
#include "planner/plan.hpp"
#include "planner/way.hpp"

namespace duoblas {

/// What one strategy is expected to take.
struct StrategyEstimate {
  double seconds = 0;      ///< expected; infinite: it is impossible
  double spread = 0;       ///< standard deviation of its logarithm
  double worst = 0;        ///< seconds, the longest that is credible
  bool seen = false;       ///< calls of the class have shown it
  UnseenSeconds unseen{};  ///< the class's calls since then

  /// Its time is known well enough: it may take longer than expected, but not by much.
  bool is_known() const { return seen && spread < 0.1; }
};

/// A strategy that is expected to take `seconds`. `what`: the kind of work whose learned times say
/// how certain that is, for this part of C.
StrategyEstimate estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                                      double log_part = 0);
/// Of both sides, for their parts of C. Its time is as uncertain as that of the side that is known
/// less.
StrategyEstimate estimate_of_both(const LearnedTimes& learned, double seconds,
                                  double log_gpu_part = 0, double log_cpu_part = 0);

/// What calls may have lost that did not use it, each of which took `best`: what it takes less at
/// best.
double may_have_lost(const StrategyEstimate& other, double best);

/// Whether another strategy than the best one is tried, which is expected to take `best` seconds:
/// once calls may have lost, by not knowing it, what knowing it is expected to cost. They lose what
/// it takes less at best; or all their seconds in one case of a hundred, because what is believed
/// of it may be wrong altogether. And only within the budget, however long it may credibly take.
bool is_try_due(const StrategyEstimate& other, double best, double allowance);

/// A strategy with the GPU must take at most this part of the CPU's time: estimates are good to a
/// few percent, and leaving a call to the CPU disturbs nobody. Short calls must gain `worthwhile`.
inline constexpr double worthwhile_if_long = 0.97;

struct StrategyEstimates {
  StrategyEstimate cpu, gpu, both;
};

struct StrategyChoice {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid
  Strategy best = Strategy::cpu;      ///< as far as is known
  double best_seconds = 0;            ///< of that
  /// Uses another strategy than the best one.
  bool explores = false;
  /// The strategy is the best and its time is known.
  bool is_settled = false;
  /// The strategy's time is not known, and may be longer than is allowed. So the GPU begins with a
  /// part of C that cannot take so long, or with nothing.
  bool begins_small = false;
};

/// `needed_gain`: a strategy with the GPU may take at most this part of the CPU's time, until calls
/// have shown both. `sharing_gain`: by which part of its time both sides together must beat the GPU
/// alone.
///
/// Another strategy than the best is tried as is_try_due() says. If all of the GPU's part may take
/// too long, it begins with a part of C.
StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance);

}  // namespace duoblas

// Which strategy a call uses while times are known with doubt: the choice (planner/choice.hpp) with
// the learner's times. Pure.
#pragma once

#include "planner/choice.hpp"
#include "planner/learner.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// A strategy that is expected to take `seconds`. `what`: the kind of work whose learned times say
/// how certain that is, for this part of C.
Prospect estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                              double log_part = 0);
/// Of both sides, for their parts of C. Its time is as uncertain as that of the side that is known
/// less.
Prospect estimate_of_both(const LearnedTimes& learned, double seconds, double log_gpu_part = 0,
                          double log_cpu_part = 0);

/// What tries of strategies may cost. Between tuned shapes time models may be wrong by a factor of
/// 4: so what nobody has seen is tried at once for a hundredth.
inline TryBudget budget_of(double allowance) {
  return {allowance, UnseenSeconds::part * allowance};
}

/// A strategy with the GPU must take at most this part of the CPU's time: estimates are good to a
/// few percent, and leaving a call to the CPU disturbs nobody. Short calls must gain `worthwhile`.
inline constexpr double worthwhile_if_long = 0.97;

struct StrategyEstimates {
  Prospect cpu, gpu, both;
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
/// alone. If all of the GPU's part may take too long, a try begins with a part of C.
StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance);

}  // namespace duoblas

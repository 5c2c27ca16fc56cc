// Which strategy a call uses while times are known with doubt: the best one as far as is known, or
// another one, to find out how fast that is. Pure.
#pragma once

#include "planner/learner.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// What one strategy is expected to take.
struct StrategyEstimate {
  double seconds = 0;  ///< expected; infinite: it is impossible
  double spread = 0;   ///< standard deviation of its logarithm
  double worst = 0;    ///< seconds, the longest that is credible
  bool seen = false;   ///< calls of the class have shown it
  /// Seconds that an exploration may take longer than the best strategy, though this one is not
  /// expected to be best.
  double exploration_seconds = 0;
  /// Seconds that later calls take longer if this strategy is explored; contained in `worst`.
  double aftermath = 0;

  /// Its time is known well enough: it may take longer than expected, but not by much.
  bool is_known() const { return seen && spread < 0.1; }
};

/// A strategy that is expected to take `seconds`. `what`: the kind of work whose learned times say
/// how certain that is, for this part of C.
StrategyEstimate estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                                      double log_part = 0);

/// Where both sides are to work, but one alone is expected to be faster, or hardly slower: whether
/// it is time to give both a part again, by the expected seconds. Calls of one side show nothing of
/// the other one, which may have been slow by chance; or the profile is wrong.
bool is_look_due(const LearnedTimes& learned, double both, double alone);

/// The reverse, where both sides work. The least seconds that the GPU alone may credibly take;
/// `alone` if its time is known.
double at_best_of_gpu(const LearnedTimes& learned, double alone);
/// Whether a call of it is within the budget, however long it may credibly take.
bool is_try_of_gpu_paid(const LearnedTimes& learned, double alone, double both);

struct StrategyEstimates {
  StrategyEstimate cpu, gpu, both;
  /// The CPU alone is faster than the GPU alone, so a call on the CPU loses nothing.
  bool cpu_costs_nothing = false;
  /// No call of the class was timed yet. The first one may find caches and memory cold with every
  /// strategy, so an exploration would cost much and show little.
  bool is_first_call = false;
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
/// Another strategy than the best is used if it may well be better, as far as its spread goes
/// (optimism in the face of uncertainty: T. L. Lai, H. Robbins, 1985); if it was never seen and
/// costs next to nothing; or if it was seen long ago. But only if it takes at most `allowance`
/// seconds longer even in the worst credible case.
StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance);

}  // namespace duoblas

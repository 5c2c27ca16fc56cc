// Which way a call goes if times are known with some doubt only: the best one as far as is known,
// or another one, to find out how fast that is. Pure.
#pragma once

#include "planner/learner.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// One way to do a call.
struct Way {
  double seconds = 0;  ///< expected; infinite: it is no way
  double spread = 0;   ///< standard deviation of its logarithm
  double worst = 0;    ///< seconds, the longest that is credible
  bool seen = false;   ///< calls of the class told of it
  /// Seconds that an exploration may take longer than the best way, though it is not expected to be
  /// best.
  double exploration_seconds = 0;

  /// Its time is known well enough: it may take longer than expected, but not by much.
  bool is_known() const { return seen && spread < 0.1; }
};

/// A way that is expected to take `seconds`. `what`: the kind of work whose learned times tell how
/// certain that is, for this part of C.
Way way_of(const LearnedTimes& learned, Timed what, double seconds, double log_part = 0);

struct WaysOfCall {
  Way cpu, gpu, both;
  /// The CPU is the better side alone: what it takes is what nobody has to lose.
  bool cpu_costs_nothing = false;
  /// No call of the class was timed yet. The first one may find caches and memory cold, whichever
  /// way it goes. So to try another way costs much and shows little.
  bool is_first_call = false;
};

struct WayChoice {
  Strategy way = Strategy::cpu;   ///< cpu, gpu or hybrid
  Strategy best = Strategy::cpu;  ///< as far as is known
  double best_seconds = 0;        ///< of that
  /// Another way than that.
  bool explores = false;
  /// The way is the best and is known.
  bool is_settled = false;
  /// The way is not known, and may take longer than is allowed. So the GPU begins with a part of C
  /// that cannot take so long, or with nothing.
  bool begins_small = false;
};

/// `needed_gain`: the part of the CPU's time that a way with the GPU may take at most, while calls
/// have not shown both. `sharing_gain`: by which part of its time both sides must beat the GPU
/// alone. Another way than the best is taken if it may well be better, as far as its spread goes
/// (optimism in the face of uncertainty: T. L. Lai, H. Robbins, 1985), if it was never seen and
/// costs next to nothing, or if it was seen long ago; and only if it takes no more than `allowance`
/// seconds longer even when it turns out as badly as is credible.
WayChoice chosen_way(const WaysOfCall& ways, double needed_gain, double sharing_gain,
                     double allowance);

}  // namespace duoblas

// Timings that can be compared: taken in turns, so that clock drift meets every candidate alike.
//
// Observed here: two runs of the same kernel minutes apart differ by more than 2 %, and their
// ratio within one round by much less. So candidates are interleaved round by round, in a fair
// order (tuner/order_of_round.hpp), and differences are judged pair by pair within rounds.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

using Clock = std::chrono::steady_clock;

/// The point in time so many seconds from now.
Clock::time_point in_seconds(double seconds);

/// Seconds of one run, or nothing where it failed: then it is not run again.
using TimedCandidate = std::function<std::optional<double>()>;

struct MeasureRules {
  int min_rounds = 3;
  int max_rounds = 9;
  /// No new round after this point once min_rounds are done.
  Clock::time_point deadline = Clock::time_point::max();
  /// After min_rounds, candidates whose median is this many times the best are left out.
  double drop_beyond = std::numeric_limits<double>::infinity();
  bool warm_up = true;  ///< one untimed run of each first
  unsigned seed = 1;    ///< of the order
};

struct Timing {
  double median = std::numeric_limits<double>::infinity();
  double q1 = std::numeric_limits<double>::infinity();
  double q3 = std::numeric_limits<double>::infinity();
  /// One entry per round; NaN where it was not run. Entry i of every candidate is of one round.
  std::vector<double> samples;
  int rounds = 0;  ///< samples that are numbers
  bool failed = false;
};

/// Median, quartiles and number from the samples.
void summarise(Timing& timing);

std::vector<Timing> measure_interleaved(const std::vector<TimedCandidate>& candidates,
                                        const MeasureRules& rules);

/// Whether `x` is faster than `y` beyond doubt: by `margin` in the median of the ratios of common
/// rounds, and in two thirds of them, or another part.
bool clearly_faster(const Timing& x, const Timing& y, double margin = 0.005, double part = 2.0 / 3);
/// The same for a choice that is made already: by a twentieth, and in four fifths of nine rounds or
/// more. Of equal ones, one in ten would pass the weaker test in so many rounds.
bool beats_choice(const Timing& other, const Timing& choice);

/// One call of the engine with each side's seconds; nothing where the GPU failed and the CPU had to
/// do its part, for short memory twice. `repeats` calls are made and their means are returned: for
/// calls of microseconds.
std::optional<CallSample> sampled_call(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                       int repeats = 1);

/// One timed call of the engine; nothing where the GPU failed and the CPU had to do its part.
/// `repeats` calls are made and their mean is returned: for calls of microseconds.
std::optional<double> timed_run(Engine& engine, const GemmProblem& problem, const Plan& plan,
                                int repeats = 1);

}  // namespace duoblas

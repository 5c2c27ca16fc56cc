// The interface between a search strategy and an evaluator.
//
//   loop: batch = strategy.next()        what to measure, in turns
//         outcomes = evaluator.measure   a device, or a journal played again
//         strategy.report(outcomes)
//
// A strategy knows no clock and no device. It depends only on the space, its seed, its budget and
// the reported outcomes, so that a replayed journal makes it repeat the same search.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profile/tuning_goal.hpp"
#include "tuner/search/space.hpp"

namespace duoblas {

/// Which sides work: the GPU on the whole of C, the CPU on the whole of C, both on their shares, or
/// the GPU on the whole of C with all operands in its memory: the product, or an update by few
/// steps.
enum class Sides { gpu, cpu, both, device, update };

/// Whether it is no whole call.
constexpr bool is_on_device(Sides sides) {
  return sides >= Sides::device;
}

/// One thing to measure. Sides::both uses everything of the candidate, Sides::cpu its cpu, the
/// others its kernel and sharing.
struct Trial {
  Candidate candidate;
  Sides sides = Sides::both;
  friend auto operator<=>(const Trial&, const Trial&) = default;
};

/// The same trial with 0 in unused fields, so that equal trials compare equal. Strategies ask only
/// for trials of this form.
Trial normal_form(Trial trial);

/// Shorthands, in normal form.
Trial gpu_trial(int kernel, int sharing);
Trial cpu_trial(int cpu);
Trial both_trial(const Candidate& candidate);

/// Trials to be measured in turns, with `rounds` samples of each. No trials: the search is over.
struct Batch {
  std::vector<Trial> trials;
  int rounds = 3;
  /// None counts before it is known whether other programs worked meanwhile
  /// (tuner/quiet_rounds.hpp).
  bool to_the_end = false;
};

/// One call: its seconds, and those until each side was done (0: it had no work).
struct CallSample {
  double whole = 0;
  double gpu = 0;
  double cpu = 0;
  double joules = 0;  ///< of the whole call; 0: not measured
};

struct TrialOutcome {
  std::vector<CallSample> samples;  ///< empty: it failed, or there was no time for it
  bool failed = false;              ///< it cannot be measured, now or later
  double cost = 0;                  ///< seconds spent on it: building, verifying, running
  /// Processors that other programs had meanwhile, where their work did not end (tuner/quiet.hpp).
  double beside = 0;
};

/// Measures. The outcomes are in the order of the trials.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::vector<TrialOutcome> measure(const Batch& batch) = 0;
};

/// The quantity by which a call is judged; see Goal.
double cost_of(const CallSample& sample, Goal goal);

/// Less is better: median seconds, joules, or joules times seconds of these samples; infinite where
/// there are none, or where joules are asked for and were not measured.
double score(const std::vector<CallSample>& samples, Goal goal);

struct SearchTask {
  SearchSpace space;
  Goal goal = Goal::throughput;
  double budget_seconds = 10;  ///< of TrialOutcome::cost; the last batch may exceed it
  unsigned seed = 1;
  /// No sample takes less time: where energy is measured, a short call is repeated.
  double least_sample_seconds = 0;
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  virtual Batch next() = 0;
  /// \pre one outcome per trial of the last next(), in its order.
  virtual void report(const Batch& batch, const std::vector<TrialOutcome>& outcomes) = 0;
};

/// The names of strategies, the default first: halving, exhaustive, random, coordinate, phased,
/// annealing.
const std::vector<std::string>& search_names();

/// \throws SettingError for an unknown name, naming those that there are.
std::unique_ptr<SearchStrategy> make_search(std::string_view name, SearchTask task);

}  // namespace duoblas

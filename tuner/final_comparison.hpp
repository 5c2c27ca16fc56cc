// Trials against one another, round by round, until their order is decided.
#pragma once

#include <functional>
#include <vector>

#include "tuner/final_decision.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

/// timings[i] and samples[i] are of trials[i]; entry r of every timing is of round r.
struct FinalComparison {
  /// The goal says what timings are: seconds, joules or their product.
  FinalComparison(Evaluator& by, Goal judged_by) : evaluator(by), goal(judged_by) {}

  /// Runs rounds until the order is decided, or not worth deciding, or the time is up; at least one
  /// batch of rounds. Trials that are far behind are dropped after the first.
  void run_rounds(const FinalSides& sides, const std::function<bool()>& time_is_up);
  static constexpr int rounds_at_once = 5;  ///< of a batch

  Evaluator& evaluator;
  Goal goal;
  std::vector<Trial> trials;
  std::vector<Timing> timings;
  std::vector<std::vector<CallSample>> samples;

 private:
  void add_rounds(const std::vector<std::size_t>& in, const std::vector<TrialOutcome>& outcomes,
                  int rounds);
};

/// The sides if trials[alone] gives the GPU all of C. Simple trials have its kernel, its sharing
/// mode and the first CPU configuration; challengers are the others. Trials of the CPU alone are
/// neither.
FinalSides sides_around(const std::vector<Trial>& trials, std::size_t alone);

}  // namespace duoblas

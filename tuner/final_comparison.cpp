#include "tuner/final_comparison.hpp"

#include <algorithm>
#include <limits>

namespace duoblas {
namespace {

constexpr int most_rounds = 25;
// Candidates behind by more than this need no more rounds: a choice among pairs is wanted, and of
// one side alone the time as well, for the cost model. (Two calls of dgemm n = 4096 by 16 cores
// take as long as sixty by a large GPU.)
double hopeless(Sides sides) {
  return sides == Sides::both ? 1.1 : 3;
}

}  // namespace

void FinalComparison::add_rounds(const std::vector<std::size_t>& in,
                                 const std::vector<TrialOutcome>& outcomes, int rounds) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto place = std::ranges::find(in, i);
    for (std::size_t round = 0; round < static_cast<std::size_t>(rounds); ++round) {
      double cost = std::numeric_limits<double>::quiet_NaN();
      if (place != in.end()) {
        const TrialOutcome& outcome = outcomes[static_cast<std::size_t>(place - in.begin())];
        if (round < outcome.samples.size()) {
          samples[i].push_back(outcome.samples[round]);
          cost = cost_of(outcome.samples[round], goal);
        }
      }
      timings[i].samples.push_back(cost);
    }
    summarise(timings[i]);
  }
}

void FinalComparison::run_rounds(const FinalSides& sides, const std::function<bool()>& time_is_up) {
  timings.resize(trials.size());
  samples.resize(trials.size());
  const auto by_median = [&](std::size_t i) { return timings[i].median; };
  for (int rounds = 0; rounds < most_rounds; rounds += rounds_at_once) {
    if (rounds > 0 && (is_decided(timings, sides) || time_is_up())) return;
    // The decision is between these two.
    const std::size_t simple = *std::ranges::min_element(sides.simple, {}, by_median);
    const std::size_t other = sides.challengers.empty()
                                  ? simple
                                  : *std::ranges::min_element(sides.challengers, {}, by_median);
    const double best = std::min(by_median(simple), by_median(other));
    std::vector<std::size_t> in;
    Batch batch;
    batch.rounds = rounds_at_once;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const bool goes_on = rounds == 0 || i == simple || i == other ||
                           by_median(i) <= hopeless(trials[i].sides) * best;
      if (!goes_on) continue;
      in.push_back(i);
      batch.trials.push_back(trials[i]);
    }
    add_rounds(in, evaluator.measure(batch), rounds_at_once);
  }
}

FinalSides sides_around(const std::vector<Trial>& trials, std::size_t alone) {
  const Candidate& best = trials[alone].candidate;
  FinalSides sides;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Candidate& c = trials[i].candidate;
    if (trials[i].sides == Sides::cpu) continue;
    const bool is_simple = c.kernel == best.kernel && c.sharing == best.sharing && c.cpu == 0;
    (is_simple ? sides.simple : sides.challengers).push_back(i);
  }
  return sides;
}

}  // namespace duoblas

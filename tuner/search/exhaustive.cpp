#include "tuner/search/exhaustive.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace duoblas {
namespace {

// Passes over everything, one sample each: a clock that changes its pace for minutes meets all
// alike.
constexpr int passes = 5;
// The fastest of so many calls was partly lucky. So the best ones are measured again, all in one
// interleaved run.
constexpr std::size_t measured_again = 20;
constexpr int rounds_again = 15;

}  // namespace

Walk<void> Exhaustive::walk() {
  std::vector<Candidate> all;
  for_each_candidate(space(), [&](const Candidate& c) { all.push_back(c); });
  // All shares of one choice of the rest are a batch, and each side alone.
  const auto parts = static_cast<std::size_t>(space().parts);
  for (int pass = 0; pass < passes; ++pass) {
    std::set<Trial> alone;
    for (std::size_t first = 0; first + parts <= all.size(); first += parts) {
      Batch batch;
      batch.rounds = 1;
      const Candidate& c = all[first];
      for (const Trial& trial : {gpu_trial(c.kernel, c.sharing), cpu_trial(c.cpu)})
        if (alone.insert(trial).second) batch.trials.push_back(trial);
      for (std::size_t i = 0; i < parts; ++i) batch.trials.push_back(both_trial(all[first + i]));
      co_await measure(std::move(batch));
    }
  }
  co_await measure_best_again();
}

Walk<void> Exhaustive::measure_best_again() {
  std::vector<std::pair<double, Trial>> ranked;
  for (const auto& [trial, samples] : seen().all())
    if (trial.sides == Sides::both && std::isfinite(seen().score(trial)))
      ranked.emplace_back(seen().score(trial), trial);
  std::ranges::sort(ranked);
  Batch batch;
  batch.rounds = rounds_again;
  for (std::size_t i = 0; i < std::min(measured_again, ranked.size()); ++i)
    batch.trials.push_back(ranked[i].second);
  if (!batch.trials.empty()) co_await measure(std::move(batch));
}

}  // namespace duoblas

#include "tuner/search/halving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/search/ranking.hpp"

namespace duoblas {
namespace {

constexpr int first_rounds = 3;

}  // namespace

Halving::Halving(SearchTask task) : WalkingStrategy(std::move(task)), surrogate_(space().kernels) {}

Walk<void> Halving::walk() {
  co_await look_first();
  co_await screen();
  co_await look_at_cpus();
  co_await corun_front();
  co_await try_variants();
  co_await look_for_better();
  co_await final_comparison();
}

// However little the budget is, there is an answer after the first batch if its kernel works.
Walk<void> Halving::look_first() {
  const int sharings = static_cast<int>(space().sharings.size());
  for (int kernel = 0; kernel < static_cast<int>(space().kernels.size()); ++kernel) {
    for (sharing_ = 0; sharing_ < sharings; ++sharing_) {
      Candidate first = first_candidate(space());
      first.kernel = kernel;
      first.sharing = sharing_;
      std::vector<Trial> trials;
      trials.push_back(gpu_trial(kernel, sharing_));
      trials.push_back(cpu_trial(0));
      trials.push_back(both_trial(first));
      co_await run(std::move(trials), first_rounds);
      if (std::isfinite(alone(kernel))) co_return;
    }
    sharing_ = 0;
  }
}

Walk<void> Halving::look_at_cpus() {
  std::vector<Trial> trials;
  for (int cpu = 0; cpu < static_cast<int>(space().cpus.size()); ++cpu)
    if (cpu != 0 || !seen().is_known(cpu_trial(0))) trials.push_back(cpu_trial(cpu));
  if (!trials.empty()) co_await run(std::move(trials), first_rounds);
}

Walk<void> Halving::run(std::vector<Trial> trials, int rounds) {
  ++batches_;
  Batch batch;
  batch.trials = std::move(trials);
  batch.rounds = rounds;
  const std::vector<Trial> asked = batch.trials;
  const std::vector<TrialOutcome> outcomes = co_await measure(std::move(batch));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].sides == Sides::cpu) continue;
    if (tried_.insert(asked[i].candidate.kernel).second) first_trials_seconds_ += outcomes[i].cost;
    if (asked[i].sides == Sides::both) learn_contention(asked[i].candidate);
  }
}

void Halving::learn_contention(const Candidate& candidate) {
  const double gpu_alone = seen().medians(gpu_trial(candidate.kernel, candidate.sharing)).whole;
  const double cpu_alone = seen().medians(cpu_trial(candidate.cpu)).whole;
  const CallSample corun = seen().medians(both_trial(candidate));
  const ShareModel model = share_model(corun, candidate.gpu_parts, {0, 0, space().parts});
  if (gpu_alone > 0 && model.gpu_whole > 0) gpu_contention_ = model.gpu_whole / gpu_alone;
  if (cpu_alone > 0 && model.cpu_whole > 0) cpu_contention_ = model.cpu_whole / cpu_alone;
}

ShareModel Halving::model_of(const Candidate& pair) const {
  ShareModel model;
  model.parts = space().parts;
  const auto scaled = [&](const Trial& trial, double contention) {
    return contention * seen().medians(trial).whole;
  };
  model.gpu_whole = scaled(gpu_trial(pair.kernel, pair.sharing), gpu_contention_);
  if (!(model.gpu_whole > 0))
    model.gpu_whole = scaled(gpu_trial(pair.kernel, sharing_), gpu_contention_);
  model.cpu_whole = scaled(cpu_trial(pair.cpu), cpu_contention_);
  const Candidate known = incumbent(pair);
  return share_model(seen().medians(both_trial(known)), known.gpu_parts, model);
}

Candidate Halving::incumbent(const Candidate& pair) const {
  Candidate best = pair;
  double least = std::numeric_limits<double>::infinity();
  Candidate c = pair;
  for (c.gpu_parts = 1; c.gpu_parts <= space().parts; ++c.gpu_parts) {
    if (!(score(c) < least)) continue;
    least = score(c);
    best = c;
  }
  return best;
}

double Halving::deviation() const {
  std::vector<double> deviations;
  for (const auto& [trial, samples] : seen().all())
    if (samples.size() >= first_rounds)
      deviations.push_back(relative_deviation(samples, task().goal));
  return typical(std::move(deviations));
}

std::vector<Candidate> Halving::ranking() const {
  const double spread = deviation();
  std::vector<std::pair<double, Candidate>> all;
  for (const auto& [trial, samples] : seen().all())
    if (trial.sides == Sides::both)
      all.emplace_back(cautious_score(seen().score(trial), samples.size(), spread),
                       trial.candidate);
  std::ranges::sort(all);
  std::vector<Candidate> ranked;
  for (const auto& [cautious, candidate] : all)
    if (std::isfinite(cautious)) ranked.push_back(candidate);
  return ranked;
}

double Halving::call_seconds() const {
  std::vector<double> seconds;
  for (const auto& [trial, samples] : seen().all())
    if (trial.sides == Sides::both) seconds.push_back(seen().medians(trial).whole);
  return std::max(typical(std::move(seconds)), task().least_sample_seconds);
}

}  // namespace duoblas

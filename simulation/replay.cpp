#include "simulation/replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "timing/median.hpp"

namespace duoblas {

double recorded_seconds(const Recording& recording) {
  double seconds = 0;
  for (const double build : recording.build_seconds) seconds += std::abs(build);
  for (const auto& [trial, samples] : recording.trials)
    for (const CallSample& sample : samples) seconds += sample.whole;
  return seconds;
}

namespace {

// How much slower the best were when they were measured again: the clock had moved on, and they
// had been the best of many by luck too.
double slowed_since(const Recording& recording) {
  std::vector<double> ratios;
  for (const auto& [candidate, samples] : recording.again)
    if (const auto first = recording.trials.find(both_trial(candidate));
        first != recording.trials.end())
      ratios.push_back(score(samples, Goal::throughput) / score(first->second, Goal::throughput));
  return ratios.empty() ? 1 : upper_median(std::move(ratios));
}

}  // namespace

double true_seconds(const Recording& recording, const Candidate& candidate) {
  if (const auto found = recording.again.find(candidate); found != recording.again.end())
    return score(found->second, Goal::throughput);
  const auto found = recording.trials.find(both_trial(candidate));
  if (found == recording.trials.end()) return std::numeric_limits<double>::infinity();
  return score(found->second, Goal::throughput) * slowed_since(recording);
}

double least_seconds(const Recording& recording) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [candidate, samples] : recording.again)
    least = std::min(least, score(samples, Goal::throughput));
  if (std::isfinite(least)) return least;
  for (const auto& [trial, samples] : recording.trials)
    if (trial.sides == Sides::both) least = std::min(least, score(samples, Goal::throughput));
  return least;
}

SearchTask task_for(const Recording& recording, double part_of_recorded, unsigned seed) {
  SearchTask task;
  task.space = recording.space;
  task.budget_seconds = part_of_recorded * recorded_seconds(recording);
  task.seed = seed;
  return task;
}

double answer_over_best(const Recording& recording, const SearchResult& result) {
  if (result.ranked.empty()) return std::numeric_limits<double>::infinity();
  return true_seconds(recording, result.ranked.front().candidate) / least_seconds(recording);
}

Replay::Replay(const Recording& recording, unsigned seed)
    : recording_(recording), random_(seed), built_(recording.space.kernels.size(), false) {}

std::vector<TrialOutcome> Replay::measure(const Batch& batch) {
  std::vector<TrialOutcome> outcomes;
  for (const Trial& trial : batch.trials)
    outcomes.push_back(outcome(normal_form(trial), batch.rounds));
  return outcomes;
}

double Replay::build(int kernel) {
  const auto index = static_cast<std::size_t>(kernel);
  if (index >= built_.size() || built_[index]) return 0;
  built_[index] = true;
  return index < recording_.build_seconds.size() ? recording_.build_seconds[index] : 0;
}

TrialOutcome Replay::outcome(const Trial& trial, int rounds) {
  TrialOutcome outcome;
  const auto found = recording_.trials.find(trial);
  if (trial.sides != Sides::cpu) {
    const auto kernel = static_cast<std::size_t>(trial.candidate.kernel);
    outcome.cost = std::abs(build(trial.candidate.kernel));
    outcome.failed =
        kernel < recording_.build_seconds.size() && recording_.build_seconds[kernel] < 0;
  }
  outcome.failed |= found == recording_.trials.end() || found->second.empty();
  if (outcome.failed) return outcome;
  const std::vector<CallSample>& samples = found->second;
  const auto [place, first] = place_.try_emplace(trial, 0);
  if (first) place->second = random_() % samples.size();
  for (int round = 0; round < rounds; ++round) {
    outcome.samples.push_back(samples[place->second++ % samples.size()]);
    outcome.cost += outcome.samples.back().whole;
  }
  return outcome;
}

}  // namespace duoblas

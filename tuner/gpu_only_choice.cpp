#include "tuner/gpu_only_choice.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "tuner/measure.hpp"

namespace duoblas {
namespace {

constexpr std::size_t most_candidates = 4;
// Multiples of the best call's time, which may have been lucky by this much. With copies the factor
// is larger: they hide the kernel, so kernels of very different speed give similar times.
constexpr double nearly_as_fast = 1.05;
constexpr double nearly_as_fast_with_copies = 1.25;
// Of calls: less than the scatter of times on shared hosts.
constexpr double hardly_slower = 0.03;
// Of kernels.
constexpr double faster_by_far = 0.9;

Timing timing_of(const TrialOutcome& outcome, Goal goal) {
  Timing timing;
  timing.failed = outcome.failed || outcome.samples.empty();
  for (const CallSample& sample : outcome.samples) timing.samples.push_back(cost_of(sample, goal));
  summarise(timing);
  return timing;
}

}  // namespace

void GpuOnlyTimes::leave_out(std::size_t place) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  candidates.erase(candidates.begin() + at);
  calls.erase(calls.begin() + at);
  if (!on_device.empty()) on_device.erase(on_device.begin() + at);
}

std::vector<Candidate> worth_measuring_again(const std::vector<Ranked>& alone, bool copied) {
  std::vector<Candidate> candidates;
  const double nearly = copied ? nearly_as_fast_with_copies : nearly_as_fast;
  for (const Ranked& ranked : alone)
    if (std::isfinite(ranked.score) && candidates.size() < most_candidates &&
        ranked.score <= nearly * alone.front().score)
      candidates.push_back(ranked.candidate);
  return candidates;
}

GpuOnlyTimes measure_gpu_only(Evaluator& evaluator, std::vector<Candidate> candidates, bool copied,
                              Goal goal, int rounds) {
  Batch batch;
  batch.rounds = rounds;
  for (const Candidate& c : candidates) batch.trials.push_back({c, Sides::gpu});
  if (copied)
    for (const Candidate& c : candidates) batch.trials.push_back({c, Sides::device});
  const std::vector<TrialOutcome> outcomes = evaluator.measure(batch);
  GpuOnlyTimes times;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    (i < candidates.size() ? times.calls : times.on_device).push_back(timing_of(outcomes[i], goal));
  times.candidates = std::move(candidates);
  return times;
}

std::size_t choose_gpu_only(const GpuOnlyTimes& times) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < times.calls.size(); ++i)
    if (clearly_faster(times.calls[i], times.calls[0]) &&
        times.calls[i].median < times.calls[best].median)
      best = i;
  const std::size_t fastest = best;
  for (std::size_t i = 0; i < times.on_device.size(); ++i) {
    const bool as_fast = !times.calls[i].failed && !times.on_device[i].failed &&
                         !clearly_faster(times.calls[fastest], times.calls[i], hardly_slower);
    if (as_fast && times.on_device[i].median < faster_by_far * times.on_device[fastest].median &&
        times.on_device[i].median < times.on_device[best].median)
      best = i;
  }
  return best;
}

}  // namespace duoblas

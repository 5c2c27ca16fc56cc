#include "tuner/cpu_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "kernel_space/kernel_defaults.hpp"
#include "timing/median.hpp"
#include "tuner/live_evaluator.hpp"

namespace duoblas {
namespace {

// The first candidate is what is used without tuning: only a real difference is worth another
// instance.
constexpr double worthwhile = 0.97;

// The least time, not the median. Other programs only ever add to a time, calls of a millisecond
// fit between their turns, and core types differ by factors.
double least(const TrialOutcome& outcome) {
  double least = std::numeric_limits<double>::infinity();
  for (const CallSample& s : outcome.samples) least = std::min(least, s.whole);
  return least;
}

double median_seconds(const TrialOutcome& outcome) {
  std::vector<double> seconds;
  for (const CallSample& s : outcome.samples) seconds.push_back(s.whole);
  return seconds.empty() ? std::numeric_limits<double>::infinity() : median(std::move(seconds));
}

}  // namespace

CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size) {
  constexpr int rounds = 12;
  const Shape shape{size, size, size};
  const std::string tuning_case =
      "CPU BLAS, " + tuning_case_text(precision, Op::none, Op::none, shape);
  context.session.begin(TunePhase::cpu, tuning_case, static_cast<int>(candidates.size()));
  if (candidates.size() == 1) return candidates.front();
  context.session.journal().begin_case(tuning_case, 0);
  SearchSpace space;
  space.kernels = {default_kernel(precision, context.machine.device)};
  space.sharings = {context.machine.sharing};
  space.cpus = candidates;
  const MeasuredProblem problem(row_major_call(precision, Op::none, Op::none, size, size, size),
                                context.session.next_seed());
  LiveEvaluator evaluator(context, problem, space);
  Batch batch;
  batch.rounds = rounds;
  for (int cpu = 0; cpu < static_cast<int>(candidates.size()); ++cpu)
    batch.trials.push_back({{0, 0, cpu, 0}, Sides::cpu});
  const auto outcomes = evaluator.measure(batch);
  context.session.step(0, static_cast<int>(candidates.size()));
  std::size_t best = 0;
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    if (least(outcomes[i]) < least(outcomes[best]) &&
        least(outcomes[i]) < worthwhile * least(outcomes[0]))
      best = i;
  return candidates[best];
}

CpuConfig fastest_beside_gpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                             Precision precision, const TunedChoice& gpu) {
  constexpr int rounds = 9;
  constexpr int parts = 16;
  // With a large GPU the best share of it is 46/64, of the cube of 1024 59/64 and of larger ones
  // 63/64.
  const Shape shape{1280, 1280, 192};
  const std::string tuning_case =
      "CPU BLAS beside the GPU, " + tuning_case_text(precision, Op::none, Op::none, shape);
  context.session.begin(TunePhase::cpu, tuning_case, static_cast<int>(candidates.size()));
  if (candidates.size() == 1) return candidates.front();
  context.session.journal().begin_case(tuning_case, 0);
  SearchSpace space;
  space.kernels = {gpu.kernel};
  space.sharings = {gpu.sharing};
  space.cpus = candidates;
  space.parts = parts;
  const MeasuredProblem problem(
      row_major_call(precision, Op::none, Op::none, shape.m, shape.n, shape.k),
      context.session.next_seed());
  LiveEvaluator evaluator(context, problem, space);
  Batch batch;
  batch.rounds = rounds;
  for (int cpu = 0; cpu < static_cast<int>(candidates.size()); ++cpu)
    for (const int gpu_parts : {6, 9, 12, 14})
      batch.trials.push_back({{0, 0, cpu, gpu_parts}, Sides::both});
  const auto outcomes = evaluator.measure(batch);
  context.session.step(0, static_cast<int>(candidates.size()));
  std::vector<double> seconds(candidates.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    double& least = seconds[static_cast<std::size_t>(batch.trials[i].candidate.cpu)];
    least = std::min(least, median_seconds(outcomes[i]));
  }
  const auto best = static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin());
  return seconds[best] < worthwhile * seconds.front() ? candidates[best] : candidates.front();
}

}  // namespace duoblas

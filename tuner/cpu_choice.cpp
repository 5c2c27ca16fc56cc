#include "tuner/cpu_choice.hpp"

#include <algorithm>
#include <limits>

#include "plan/kernel_defaults.hpp"
#include "tuner/live_evaluator.hpp"

namespace duoblas {
namespace {

// The least, not the median: core types differ by factors, and what else runs on the machine only
// ever adds to a time. Calls of about a millisecond fit between its turns.
double least(const Outcome& outcome) {
  double least = std::numeric_limits<double>::infinity();
  for (const CallSample& s : outcome.samples) least = std::min(least, s.whole);
  return least;
}

}  // namespace

CpuConfig fastest_cpu(TuneContext& context, const std::vector<CpuConfig>& candidates,
                      Precision precision, std::int64_t size) {
  constexpr double worthwhile = 0.97;
  constexpr int rounds = 12;
  const Shape shape{size, size, size};
  const std::string subject = "CPU BLAS, " + subject_text(precision, Op::none, Op::none, shape);
  context.session.begin("cpu", subject, static_cast<int>(candidates.size()));
  if (candidates.size() == 1) return candidates.front();
  context.session.journal().begin_subject(subject, 0);
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
  // The first is what is used without tuning: only a real difference is worth another instance.
  std::size_t best = 0;
  for (std::size_t i = 1; i < outcomes.size(); ++i)
    if (least(outcomes[i]) < least(outcomes[best]) &&
        least(outcomes[i]) < worthwhile * least(outcomes[0]))
      best = i;
  return candidates[best];
}

}  // namespace duoblas

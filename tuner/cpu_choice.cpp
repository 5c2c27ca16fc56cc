#include "tuner/cpu_choice.hpp"

#include <algorithm>
#include <limits>

#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

double least(const Timing& timing) {
  double least = std::numeric_limits<double>::infinity();
  for (const double s : timing.samples) least = s < least ? s : least;
  return least;
}

}  // namespace

void choose_cpu_config(TuneContext& context, const std::vector<CpuConfig>& candidates,
                       const std::vector<Precision>& precisions) {
  constexpr std::size_t most = 6;
  constexpr std::int64_t size = 512;
  constexpr double worthwhile = 0.97;
  const std::size_t count = std::min(most, candidates.size());
  if (count == 0) return;
  context.session.begin("cpu", "CPU BLAS", static_cast<int>(precisions.size()));
  for (const Precision precision : precisions) {
    const MeasuredProblem problem(row_major_call(precision, Op::none, Op::none, size, size, size),
                                  context.session.next_seed());
    std::vector<Contestant> contestants;
    for (std::size_t i = 0; i < count; ++i)
      contestants.push_back([&, plan = cpu_plan(candidates[i], "tuning")] {
        return timed_run(context.engine, problem.problem(), plan);
      });
    MeasureRules rules;
    rules.min_rounds = 10;
    rules.max_rounds = 40;
    rules.deadline = context.session.within(1.5);
    rules.seed = context.session.next_seed();
    const auto timings = measure_interleaved(contestants, rules);
    // The least, not the median: core types differ by factors, and what else runs on the machine
    // only ever adds to a time. Calls of about a millisecond fit between its turns.
    // The first is what is used without tuning: only a real difference is worth another instance.
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
      if (least(timings[i]) < least(timings[best]) &&
          least(timings[i]) < worthwhile * least(timings[0]))
        best = i;
    CpuConfig& cpu_all = context.machine.cpu_all[precision_index(precision)];
    context.machine.cpu[precision_index(precision)] = candidates[best];
    cpu_all.core_type = candidates[best].core_type;
    cpu_all.library = candidates[best].library;
    context.session.step();
  }
}

}  // namespace duoblas

#include "tuner/crossover.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {

double crossover_flops(const std::vector<CrossoverSample>& samples) {
  constexpr double worthwhile = 0.98;
  if (samples.empty()) return 0;
  double crossover = samples.back().flops * 1.01;
  for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) {
    if (!(sample->gpu_seconds < worthwhile * sample->cpu_seconds)) break;
    crossover = sample->flops;
  }
  return crossover;
}

double measure_crossover(TuneContext& context, const Profile& profile, Precision precision) {
  constexpr std::int64_t sizes[] = {32, 48, 64, 96, 128, 192, 256, 384, 512};
  // Calls of microseconds are repeated until a sample lasts this long.
  constexpr double sample_seconds = 200e-6;
  context.session.new_subject();
  context.session.begin("crossover", std::string(1, letter(precision)) + "gemm",
                        static_cast<int>(std::size(sizes)));
  std::vector<CrossoverSample> samples;
  for (const std::int64_t n : sizes) {
    const MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n),
                                   context.session.next_seed());
    const GemmProblem& problem = measured.problem();
    const TunedPoint* point = nearest_point(profile, problem);
    std::vector<Contestant> contestants;
    for (const char* strategy : {"cpu_all", "hybrid", "gpu"}) {
      const Plan plan = strategy_plan(strategy, problem, context.machine, point);
      timed_run(context.engine, problem, plan);
      const double once = timed_run(context.engine, problem, plan).value_or(sample_seconds);
      const int repeats = std::clamp(static_cast<int>(sample_seconds / once), 1, 100);
      contestants.push_back(
          [&, plan, repeats] { return timed_run(context.engine, problem, plan, repeats); });
    }
    MeasureRules rules;
    rules.min_rounds = 5;
    rules.max_rounds = 25;
    rules.deadline = context.session.within(0.2);
    rules.seed = context.session.next_seed();
    const auto timings = measure_interleaved(contestants, rules);
    samples.push_back(
        {flops(problem), timings[0].median, std::min(timings[1].median, timings[2].median)});
    context.session.step();
  }
  return crossover_flops(samples);
}

}  // namespace duoblas

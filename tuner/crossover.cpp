#include "tuner/crossover.hpp"

#include <algorithm>
#include <cmath>

#include "plan/op_letter.hpp"
#include "tuner/live_evaluator.hpp"

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
  constexpr int rounds = 7;
  const std::string subject = std::string(1, letter(precision)) + "gemm";
  context.session.new_subject();
  context.session.journal().begin_subject("crossover of " + subject, 0);
  context.session.begin("crossover", subject, static_cast<int>(std::size(sizes)));
  std::vector<CrossoverSample> samples;
  for (const std::int64_t n : sizes) {
    const MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n),
                                   context.session.next_seed());
    const GemmProblem& problem = measured.problem();
    const TunedPoint* point = nearest_point(profile, problem);
    const auto adapted = [&](const TunedChoice& choice) {
      return adapted_choice(choice, *point, problem, context.machine);
    };
    const TunedChoice hybrid = adapted(point->hybrid);
    SearchSpace space;
    space.kernels = {hybrid.kernel, adapted(point->gpu).kernel};
    space.sharings = {hybrid.sharing};
    space.cpus = {context.machine.cpu_all_for(precision), context.machine.cpu_for(precision)};
    space.parts = hybrid.share.parts;
    LiveEvaluator evaluator(context, measured, space);
    Batch batch;
    batch.rounds = rounds;
    batch.trials = {{{0, 0, 0, 0}, Sides::cpu},
                    {{0, 0, 1, hybrid.share.gpu_parts}, Sides::both},
                    {{1, 0, 1, space.parts}, Sides::gpu}};
    std::vector<double> seconds;
    for (const Outcome& outcome : evaluator.measure(batch))
      seconds.push_back(score(outcome.samples, Goal::throughput));
    samples.push_back({flops(problem), seconds[0], std::min(seconds[1], seconds[2])});
    context.session.step();
  }
  return crossover_flops(samples);
}

}  // namespace duoblas

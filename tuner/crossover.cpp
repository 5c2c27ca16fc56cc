#include "tuner/crossover.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "problem/op_letter.hpp"
#include "tuner/live_evaluator.hpp"

namespace duoblas {

double crossover_flops(const std::vector<CrossoverSample>& samples) {
  constexpr double worthwhile = 0.98;
  if (samples.empty()) return 0;
  // What is lost with the crossover before sample i: the GPU's gains below it, and what the GPU
  // takes too long above. One disturbed sample moves that little.
  const auto gain = [&](const CrossoverSample& s) {
    return std::log(worthwhile * s.cpu_seconds / s.gpu_seconds);
  };
  std::size_t best = samples.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i <= samples.size(); ++i) {
    double lost = 0;
    for (std::size_t j = 0; j < samples.size(); ++j) {
      const double gained = std::clamp(gain(samples[j]), -1.0, 1.0);
      lost += j < i ? std::max(0.0, gained) : std::max(0.0, -gained);
    }
    // The larger one of equals: a doubtful size is the CPU's.
    if (lost <= least) {
      least = lost;
      best = i;
    }
  }
  return best < samples.size() ? samples[best].flops : samples.back().flops * 1.01;
}

double measure_crossover(TuneContext& context, const Profile& profile, Precision precision) {
  constexpr std::int64_t sizes[] = {32, 48, 64, 96, 128, 192, 256, 384, 512};
  constexpr int rounds = 15;
  const std::string tuning_case = std::string(1, letter(precision)) + "gemm";
  context.session.new_case();
  context.session.journal().begin_case("crossover of " + tuning_case, 0);
  context.session.begin(TunePhase::crossover, tuning_case, static_cast<int>(std::size(sizes)));
  std::vector<CrossoverSample> samples;
  for (const std::int64_t n : sizes) {
    const MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n),
                                   context.session.next_seed());
    const GemmProblem& problem = measured.problem();
    const TunedPoint* point = nearest_point(profile, problem);
    const auto adapted = [&](const TunedChoice& choice) {
      return adapted_choice(choice, *point, problem, context.machine);
    };
    const TunedChoice hybrid = adapted(point->hybrid), gpu = adapted(point->gpu);
    SearchSpace space;
    space.kernels = {hybrid.kernel, gpu.kernel};
    space.sharings = {hybrid.sharing, gpu.sharing};
    space.cpus = {context.machine.cpu_all_for(precision), context.machine.cpu_for(precision)};
    space.parts = hybrid.share.parts;
    LiveEvaluator evaluator(context, measured, space);
    Batch batch;
    batch.rounds = rounds;
    batch.trials = {{{0, 0, 0, 0}, Sides::cpu},
                    {{0, 0, 1, hybrid.share.gpu_parts}, Sides::both},
                    {{1, 1, 1, space.parts}, Sides::gpu}};
    std::vector<double> seconds;
    for (const TrialOutcome& outcome : evaluator.measure(batch))
      seconds.push_back(score(outcome.samples, Goal::throughput));
    samples.push_back({flops(problem), seconds[0], std::min(seconds[1], seconds[2])});
    context.session.step();
  }
  return crossover_flops(samples);
}

}  // namespace duoblas

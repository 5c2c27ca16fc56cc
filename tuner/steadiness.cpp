#include "tuner/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tuner/live_evaluator.hpp"

namespace duoblas {

// "cpu MHz		: 2100.000", one line for each hardware thread; ARM's kernels have none.
double processor_mhz() {
  constexpr std::string_view title = "cpu MHz";
  std::ifstream processors("/proc/cpuinfo");
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(processors, line);) {
    if (!line.starts_with(title)) continue;
    const double mhz =
        std::strtod(line.c_str() + std::min(line.find(':') + 1, line.size()), nullptr);
    if (!(mhz > 0)) continue;
    sum += mhz;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

void note_clock(Steadiness& steadiness, double mhz) {
  if (!(mhz > 0)) return;
  steadiness.most_mhz = std::max(steadiness.most_mhz, mhz);
  steadiness.least_mhz = steadiness.least_mhz > 0 ? std::min(steadiness.least_mhz, mhz) : mhz;
}

void measure_drift(TuneContext& context, const Profile& profile, Steadiness& steadiness) {
  constexpr int rounds = 9;
  const TunedPoint& point = profile.points.front();
  context.session.new_case();
  context.session.journal().begin_case("drift", 0);
  context.session.begin(TunePhase::steadiness, "", 1);
  const MeasuredProblem measured(
      row_major_call(point.precision, point.op_a, point.op_b, point.m, point.n, point.k),
      context.session.next_seed());
  SearchSpace space;
  space.kernels = {point.gpu.kernel};
  space.sharings = {point.gpu.sharing};
  space.cpus = {context.machine.cpu_all_for(point.precision)};
  space.parts = point.gpu.share.parts;
  LiveEvaluator evaluator(context, measured, space);
  Batch batch;
  batch.rounds = rounds;
  batch.trials = {{{0, 0, 0, 0}, Sides::cpu}, {{0, 0, 0, space.parts}, Sides::gpu}};
  const auto outcomes = evaluator.measure(batch);
  const auto now_over = [](const TrialOutcome& outcome, double then) {
    if (outcome.failed || outcome.samples.empty() || !(then > 0)) return 0.0;
    const double ratio = score(outcome.samples, Goal::throughput) / then;
    return std::isfinite(ratio) ? ratio : 0.0;
  };
  steadiness.cpu = now_over(outcomes[0], point.cpu_all_seconds);
  steadiness.gpu = now_over(outcomes[1], point.gpu.seconds);
  context.session.step();
}

}  // namespace duoblas

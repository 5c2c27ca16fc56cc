#include "tuner/gain.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas {
namespace {

// About a second for each, with some calls before it from which the learner learns.
constexpr std::size_t most_products = 3;
constexpr double longest_call = 0.02;
constexpr int calls_to_learn = 8, gain_rounds = 7;

std::vector<const TunedPoint*> compared(const Profile& profile) {
  std::vector<const TunedPoint*> short_ones, some;
  for (const TunedPoint& point : profile.points)
    if (point.hybrid.seconds > 0 && point.hybrid.seconds < longest_call)
      short_ones.push_back(&point);
  const std::size_t count = std::min(most_products, short_ones.size());
  for (std::size_t i = 0; i < count; ++i) some.push_back(short_ones[i * short_ones.size() / count]);
  return some;
}

}  // namespace

TuningGain measure_gain(Engine& engine, const Profile& profile) {
  PlanMachine tuned = engine.machine();
  tuned.cpu = profile.cpu;
  tuned.cpu_all = profile.cpu_all;
  tuned.tuned(profile.key.arithmetic).match = ProfileMatch::exact;
  tuned.tuned(profile.key.arithmetic).use(profile);
  TuningGain gain;
  double sum = 0;
  for (const TunedPoint* point : compared(profile)) {
    const MeasuredProblem measured(
        row_major_call(point->precision, point->op_a, point->op_b, point->m, point->n, point->k),
        1);
    const GemmProblem& problem = measured.problem();
    const auto as_before = [&]() -> std::optional<double> {
      const Outcome outcome = engine.run(problem);
      return outcome.recovered ? std::nullopt : std::optional(outcome.times.whole);
    };
    for (int call = 0; call < calls_to_learn; ++call) as_before();
    const Plan plan = make_plan(problem, tuned, {});
    const auto by_profile = [&]() -> std::optional<double> {
      const Outcome outcome = engine.run(problem, plan);
      return outcome.recovered ? std::nullopt : std::optional(outcome.times.whole);
    };
    MeasureRules rules;
    rules.max_rounds = gain_rounds;
    const auto timings = measure_interleaved({as_before, by_profile}, rules);
    if (timings[0].rounds == 0 || timings[1].rounds == 0) continue;
    sum += std::log(timings[1].median / timings[0].median);
    ++gain.products;
  }
  if (gain.products > 0) gain.ratio = std::exp(sum / gain.products);
  return gain;
}

}  // namespace duoblas

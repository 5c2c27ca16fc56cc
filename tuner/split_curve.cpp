#include "tuner/split_curve.hpp"

#include <algorithm>

#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {
namespace {

// A plan of the curve, and the times of its calls.
struct Place {
  double share = 0;
  Plan plan;
  std::vector<double> cpu, gpu;
};

std::vector<Place> places_of(const GemmProblem& problem, const PlanMachine& machine,
                             const TunedPoint* point, int parts) {
  TunedChoice choice = point == nullptr ? untuned_choice(problem.precision, machine)
                                        : adapted_choice(point->hybrid, *point, problem, machine);
  std::vector<Place> places = {{0, strategy_plan("cpu", problem, machine, point), {}, {}}};
  for (int part = 1; part < parts; ++part) {
    choice.share = {part, parts};
    const Plan plan = plan_choice(problem, machine, choice, Reason::as_told);
    // Rounding to the kernel's tiles may leave one side alone: that is an end of the curve.
    if (plan.strategy != Strategy::hybrid) continue;
    places.push_back({choice.share.fraction(), plan, {}, {}});
  }
  places.push_back({1, strategy_plan("gpu_cotuned", problem, machine, point), {}, {}});
  return places;
}

double seconds_of_side(const std::vector<double>& seconds) {
  return seconds.empty() ? 0 : median(seconds);
}

SplitSample sample_of(const Place& place, double whole) {
  if (place.share <= 0) return {0, whole, 0, whole};
  if (place.share >= 1) return {1, 0, whole, whole};
  return {place.share, seconds_of_side(place.cpu), seconds_of_side(place.gpu), whole};
}

// Returns the seconds of a whole call. Those of each side are added to `place`.
std::optional<double> timed_call(Engine& engine, const GemmProblem& problem, Place& place) {
  const Stopwatch watch;
  const Outcome report = engine.run(problem, place.plan);
  const double taken = watch.seconds();
  if (report.recovered || report.plan.strategy != place.plan.strategy) return std::nullopt;
  place.cpu.push_back(report.times.cpu);
  if (!report.times.gpu_at_most) place.gpu.push_back(report.times.gpu);
  return taken;
}

}  // namespace

Settings split_curve_settings(Settings settings) {
  settings.adapt = true;  // then the queue keeps timestamps; calls as told adapt nothing
  return settings;
}

SplitCurve measure_split_curve(Engine& engine, const ComparisonProblem& p, const Profile& profile,
                               const SplitCurveRules& rules) {
  SplitCurve curve{p, {}, {}};
  const PlanMachine machine = engine.machine();
  if (!machine.has_gpu) return curve;
  CallerGemm call = row_major_call(p.precision, p.op_a, p.op_b, p.m, p.n, p.k);
  call.layout = p.layout;
  MeasuredProblem measured(call, rules.seed);
  const GemmProblem& problem = measured.problem();
  const TunedPoint* point = nearest_point(profile, problem);
  std::vector<Place> places = places_of(problem, machine, point, rules.parts);

  std::vector<TimedCandidate> candidates;
  for (Place& place : places) {
    candidates.push_back(
        [&engine, &problem, &place] { return timed_call(engine, problem, place); });
    candidates.back()();  // the warm-up, which is no sample
    place.cpu.clear();
    place.gpu.clear();
  }
  MeasureRules measuring;
  measuring.warm_up = false;
  measuring.min_rounds = std::min(3, rules.rounds);
  measuring.max_rounds = rules.rounds;
  measuring.deadline = in_seconds(rules.seconds);
  measuring.seed = rules.seed;
  const auto timings = measure_interleaved(candidates, measuring);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!timings[i].failed) curve.samples.push_back(sample_of(places[i], timings[i].median));

  const Plan tuned = strategy_plan("hybrid", problem, machine, point);
  if (tuned.strategy == Strategy::hybrid) curve.chosen = tuned.share.fraction();
  return curve;
}

}  // namespace duoblas

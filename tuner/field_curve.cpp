#include "tuner/field_curve.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_description.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "timing/median.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas {
namespace {

// The one field in which two kernels differ; null: there is none, or there are several.
const KernelField* only_difference(const KernelParams& x, const KernelParams& y) {
  const KernelField* found = nullptr;
  for (const KernelField& field : kernel_fields()) {
    if (field.get(x) == field.get(y)) continue;
    if (found != nullptr) return nullptr;
    found = &field;
  }
  return found;
}

std::optional<double> recorded_seconds(const Recording& recording, std::size_t kernel,
                                       SharingMode sharing) {
  const auto& sharings = recording.space.sharings;
  const auto place = std::ranges::find(sharings, sharing);
  if (place == sharings.end()) return std::nullopt;
  const auto found = recording.trials.find(
      gpu_trial(static_cast<int>(kernel), static_cast<int>(place - sharings.begin())));
  if (found == recording.trials.end() || found->second.empty()) return std::nullopt;
  std::vector<double> seconds;
  for (const CallSample& sample : found->second) seconds.push_back(sample.whole);
  return median(std::move(seconds));
}

double gigaflops(double flops, double seconds) {
  return seconds > 0 ? flops / seconds * 1e-9 : 0;
}

void sort(FieldCurve& curve) {
  std::ranges::sort(curve.rates, {}, &FieldRate::value);
}

}  // namespace

std::vector<FieldCurve> recorded_field_curves(const Recording& recording, const TunedChoice& best,
                                              double flops) {
  const KernelParams winner = canonical(best.kernel);
  std::map<const KernelField*, FieldCurve> found;
  std::optional<double> of_winner;
  for (std::size_t i = 0; i < recording.space.kernels.size(); ++i) {
    const KernelParams kernel = canonical(recording.space.kernels[i]);
    const auto seconds = recorded_seconds(recording, i, best.sharing);
    if (!seconds) continue;
    if (kernel == winner) {
      of_winner = gigaflops(flops, *seconds);
      continue;
    }
    const KernelField* field = only_difference(kernel, winner);
    if (field == nullptr) continue;
    FieldCurve& curve = found[field];
    curve.field = field->name;
    curve.chosen = field->get(winner);
    curve.rates.push_back({field->get(kernel), gigaflops(flops, *seconds), ""});
  }
  std::vector<FieldCurve> curves;
  if (!of_winner) return curves;
  for (auto& [field, curve] : found) {
    curve.rates.push_back({curve.chosen, *of_winner, ""});
    sort(curve);
    curves.push_back(std::move(curve));
  }
  std::ranges::stable_sort(curves, std::greater(),
                           [](const FieldCurve& curve) { return curve.rates.size(); });
  return curves;
}

std::vector<std::pair<KernelParams, FieldRate>> field_neighbours(const KernelParams& kernel,
                                                                 const KernelField& field,
                                                                 Precision precision,
                                                                 const DeviceLimits& limits,
                                                                 std::size_t most) {
  const auto& values = field.values;
  const auto own = static_cast<std::size_t>(std::ranges::lower_bound(values, field.get(kernel)) -
                                            values.begin());
  const std::size_t count = std::min(most, values.size());
  // A window around the kernel's own value, moved inwards at the ends.
  const std::size_t before = std::min(own, count / 2);
  const std::size_t first = std::min(own - before, values.size() - count);
  std::vector<std::pair<KernelParams, FieldRate>> neighbours;
  for (std::size_t i = first; i < first + count; ++i) {
    KernelParams changed = kernel;
    field.set(changed, values[i]);
    const KernelRule* rule = violated_rule(changed, precision, limits);
    neighbours.push_back(
        {changed, {values[i], 0, rule == nullptr ? "" : std::string(rule->reason)}});
  }
  return neighbours;
}

FieldCurve measure_field_curve(Engine& engine, KernelPool& pool, const TunedPoint& point,
                               const KernelField& field, const FieldCurveRules& rules) {
  const KernelParams winner = canonical(point.gpu.kernel);
  if (!matters(field, winner))
    throw SettingError(std::string(field.name) + " means nothing to the best kernel, " +
                       describe(winner));
  const PlanMachine& machine = engine.machine();
  auto neighbours = field_neighbours(winner, field, point.precision, machine.device);

  std::vector<KernelParams> legal;
  for (const auto& [kernel, rate] : neighbours)
    if (rate.reason.empty()) legal.push_back(kernel);
  const auto known = pool.try_unknown(legal, {point.precision, point.op_a, point.op_b},
                                      {point.m, point.n, point.k}, point.gpu.sharing);
  const MeasuredProblem measured(
      row_major_call(point.precision, point.op_a, point.op_b, point.m, point.n, point.k),
      rules.seed);
  const GemmProblem& problem = measured.problem();
  std::vector<TimedCandidate> candidates;
  std::vector<FieldRate*> timed;
  std::size_t asked = 0;
  for (auto& [kernel, rate] : neighbours) {
    if (!rate.reason.empty()) continue;
    if (!known[asked++].usable) {
      rate.reason = "it does not build here, or computes something else";
      continue;
    }
    TunedChoice choice = point.gpu;
    choice.kernel = kernel;
    const Plan plan = plan_choice(problem, machine, gpu_only(choice), Reason::as_told);
    candidates.push_back([&engine, &problem, plan] { return timed_run(engine, problem, plan); });
    timed.push_back(&rate);
  }
  MeasureRules turns;
  turns.min_rounds = std::min(3, rules.rounds);
  turns.max_rounds = rules.rounds;
  turns.deadline = in_seconds(rules.seconds);
  turns.seed = rules.seed;
  const auto timings = measure_interleaved(candidates, turns);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (timings[i].failed)
      timed[i]->reason = "the device failed";
    else
      timed[i]->rate = gigaflops(flops(problem), timings[i].median);
  }
  FieldCurve curve{std::string(field.name), field.get(winner), {}};
  for (auto& [kernel, rate] : neighbours) curve.rates.push_back(std::move(rate));
  return curve;
}

Chart field_chart(const FieldCurve& curve, const std::string& tuning_case) {
  Chart chart;
  chart.title = curve.field + ", the other parameters as tuned: " + tuning_case;
  chart.x_label = curve.field;
  chart.y_label = "GPU alone (GFLOPS)";
  add_curve(chart, curve, "GPU alone");
  if (has_points(chart))
    chart.mark = {static_cast<double>(curve.chosen), "chosen: " + std::to_string(curve.chosen)};
  return chart;
}

}  // namespace duoblas

#include "planner/crossover.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "planner/planner.hpp"

namespace duoblas {
namespace {

constexpr double next_cube = 1.5 * 1.5 * 1.5;
constexpr double next_skewed = 2.0 * 2.0 * 2.0;
constexpr double further_down = 2;

}  // namespace

bool is_below_crossover(const GemmProblem& p, double crossover_flops, bool learns) {
  const auto [least, most] = std::minmax({p.m, p.n, p.k});
  const double next = most <= 2 * least ? next_cube : next_skewed;
  return flops(p) * next * (learns ? further_down : 1) <= crossover_flops;
}

std::optional<Reason> why_never_gpu(const PlanMachine& machine, Precision precision) {
  if (!machine.has_gpu) return machine.without_gpu;
  if (!machine.device.multiplies(precision)) return Reason::no_double_precision;
  const ProfileInUse& tuned = machine.tuned(precision);
  if (!tuned.profile || tuned.profile->points.empty()) return Reason::untuned;
  if (!machine.learns && tuned.match < ProfileMatch::device) return Reason::tuned_on_other_device;
  return std::nullopt;
}

double least_automatic_gpu_flops(const PlanMachine& machine, Precision precision) {
  double least = std::numeric_limits<double>::infinity();
  if (why_never_gpu(machine, precision)) return least;
  // Which type replaces an untuned one depends on the ops.
  const Profile& tuned = *machine.tuned(precision).profile;
  for (const TunedPoint& point : tuned.points)
    least = std::min(least, tuned.crossover_flops[precision_index(point.precision)]);
  return least / (machine.learns ? further_down * next_skewed : next_skewed);
}

}  // namespace duoblas

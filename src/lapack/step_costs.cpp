#include "lapack/step_costs.hpp"

#include <algorithm>
#include <cmath>

#include "lapack/division.hpp"

namespace duoblas {
namespace {

// A step's times are noisy: half of what is known is what was known before.
constexpr double weight = 0.5;
// A time this far from the plan's is no rate: somebody else had the core.
constexpr double most_off = 4;

double device_cost(const Plan& plan) {
  const int gpu = plan.share.gpu_parts, cpu = plan.share.parts - gpu;
  if (plan.strategy == Strategy::gpu || cpu <= 0) return 1e-3;
  return static_cast<double>(cpu) / std::max(1, gpu);
}

}  // namespace

StepCosts::StepCosts(const Plan& plan)
    : expected_{device_cost(plan), 1, panel_cost(1, 1), u_cost(1, 1)} {}

void StepCosts::note(StepWork work, double flops, double seconds) {
  if (!(flops > 0 && seconds > 0 && std::isfinite(seconds))) return;
  double& known = seconds_[static_cast<std::size_t>(work)];
  const double now = seconds / flops;
  known = known > 0 ? weight * now + (1 - weight) * known : now;
}

void StepCosts::note_device(double flops, const SideSeconds& took) {
  constexpr StepWork work = StepWork::device_product;
  if (!took.device_at_most) return note(work, flops, took.device);
  const double product = seconds_[static_cast<std::size_t>(StepWork::product)];
  if (flops > 0 && took.device > 0 && took.device / flops < of(work) * product)
    seconds_[static_cast<std::size_t>(work)] = took.device / flops;
}

double StepCosts::of(StepWork work) const {
  const auto i = static_cast<std::size_t>(work);
  const double product = seconds_[static_cast<std::size_t>(StepWork::product)];
  if (product <= 0 || seconds_[i] <= 0) return expected_[i];
  return std::clamp(seconds_[i] / product, expected_[i] / most_off, expected_[i] * most_off);
}

}  // namespace duoblas

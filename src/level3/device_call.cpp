// A level-3 call as one job of the device: whether that pays, and how it is divided.
#include <algorithm>
#include <cmath>

#include "level3/call_steps.hpp"
#include "level3/device_parts.hpp"

namespace duoblas {
namespace {

// Against a product of as many flops: blocks are smaller, and a solve has a chain of small ones.
constexpr double job_overhead = 1.2, solving_overhead = 1.6;

// The part of a triangle of C grows with the square of its lines.
std::int64_t extent_of(const Level3Problem& p, const Plan& plan, const GemmProblem& whole,
                       bool exactly) {
  const std::int64_t all = divided_extent(p);
  if (plan.strategy == Strategy::gpu) return all;
  const std::int64_t of = plan.axis == Axis::rows ? whole.m : whole.n;
  double share = static_cast<double>(plan.gpu_extent) / static_cast<double>(of);
  if (updates_triangle(p.routine)) share = std::sqrt(share);
  constexpr std::int64_t unit = 32;
  const double extent = share * static_cast<double>(all);
  const auto rounded =
      exactly ? std::llround(extent) : std::llround(extent / static_cast<double>(unit)) * unit;
  return std::clamp<std::int64_t>(rounded, 1, all);
}

// Of the CPU, all of it with a triangle: that is what the cost model's estimate is of.
void scale_estimates(Plan& plan, const Level3Problem& p, const GemmProblem& whole) {
  const double share = flops(p) / flops(whole);
  plan.expected_seconds *= share * (p.routine == Routine::trsm ? solving_overhead : job_overhead);
  plan.cpu_only_seconds *= share;
}

}  // namespace

std::optional<DeviceCall> device_call(Engine& engine, const Level3Problem& p,
                                      std::optional<double> others_seconds) {
  if (p.only_scales_c()) return {};
  const GemmProblem whole = whole_product(p);
  if (others_seconds && *others_seconds <= 0) return {};
  DeviceCall call{p, 0, engine.plan(whole)};
  Plan& plan = call.plan;
  if (!plan.uses_gpu()) return {};
  plan.entry_rows = 0;
  plan.forecast.reset();
  scale_estimates(plan, p, whole);
  if (others_seconds) {
    const double gain = *others_seconds - plan.expected_seconds;
    if (!copies(plan.sharing) || plan.expected_seconds <= 0 ||
        plan.expected_seconds > worthwhile * *others_seconds || gain < least_gain_seconds)
      return {};
  }
  call.gpu_extent = extent_of(p, plan, whole, engine.request().forces_split());
  if (!engine.takes_at_once(parts_for_device(p, call.gpu_extent).gpu, plan.kernel)) return {};
  if (engine.checks_next_level3()) return {};
  return call;
}

Outcome carry_out(Engine& engine, const DeviceCall& call) {
  const DeviceParts parts = parts_for_device(call.problem, call.gpu_extent);
  const std::vector<CallStep> beside = steps_on_cpu(engine, cpu_blas_limits, parts.cpu);
  return engine.carry_out(Level3Parts{
      parts.gpu, call.plan, [&] { carry_out_on_cpu(engine, beside); },
      [&](const Level3Progress& done) {
        carry_out_on_cpu(engine, steps_on_cpu(engine, cpu_blas_limits, rest_of(parts.gpu, done)));
      }});
}

}  // namespace duoblas

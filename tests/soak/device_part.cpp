#include "soak/device_part.hpp"

#include "level3/blocked_level3.hpp"
#include "level3/device_parts.hpp"

namespace duoblas::soak {
namespace {

double fraction(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double on_device(const PlannedProduct& step) {
  if (!step.plan.uses_gpu()) return 0;
  const std::int64_t whole = step.plan.axis == Axis::rows ? step.problem.m : step.problem.n;
  return flops(step.problem) * fraction(step.plan.gpu_extent, whole);
}

}  // namespace

DevicePart device_part(Engine& engine, const SoakCall& call, const MadeCall& made) {
  DevicePart part;
  const CallSummary did = Context::last_call();
  part.recovered = did.recovered;
  part.is_in_lapack = call.lapack && did.strategy != Strategy::cpu;
  if (call.lapack) return part;
  if (!call.routine) {
    part.flops = 2.0 * (call.is_complex() ? 4 : 1) * static_cast<double>(call.m) *
                 static_cast<double>(call.n) * static_cast<double>(call.k);
    const bool by_m = did.by_columns != (call.layout == Layout::row_major);
    part.on_device = part.flops * fraction(did.gpu_rows, by_m ? call.m : call.n);
  } else {
    const Level3Problem problem = to_row_major(made.level3());
    part.flops = flops(problem);
    if (did.gpu_rows > 0) {
      for (const CallStep& step : decide(engine, problem).steps) {
        if (const auto* product = std::get_if<PlannedProduct>(&step))
          part.on_device += on_device(*product);
        else if (const auto* job = std::get_if<DeviceCall>(&step))
          part.on_device += flops(parts_for_device(job->problem, job->gpu_extent).gpu);
      }
    }
  }
  if (!call.reads_operands()) part.flops = part.on_device = 0;
  if (did.strategy == Strategy::cpu) part.on_device = 0;
  return part;
}

}  // namespace duoblas::soak

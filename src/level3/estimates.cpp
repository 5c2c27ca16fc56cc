// What level-3 calls and their steps are expected to take, and which are too small for the device.
#include <variant>
#include <vector>

#include "level3/call_steps.hpp"
#include "problem/halving.hpp"

namespace duoblas {

GemmProblem whole_product(const Level3Problem& p) {
  GemmProblem whole;
  whole.precision = p.precision;
  whole.m = updates_triangle(p.routine) ? p.n : p.m;
  whole.n = p.n;
  whole.k = updates_triangle(p.routine) ? p.k : order(p);
  whole.lda = whole.k;
  whole.ldb = whole.ldc = whole.n;
  return whole;
}

double estimated_cpu_seconds(const Engine& engine, const Level3Problem& p) {
  const GemmProblem whole = whole_product(p);
  return flops(p) / flops(whole) * engine.plans().estimated_cpu_seconds(whole);
}

double smallest_flops(const Engine& engine, Routine routine, Precision precision) {
  return engine.plans().smallest_gemm_flops(precision) / largest_product_share(routine);
}

// What takes less than must be gained, cannot gain that. To plan takes 10 to 20 us in a process's
// first calls: of 256 lines on 16 cores that was a fifth of the call.
bool is_too_short(const Engine& engine, const Level3Problem& p) {
  const double seconds = estimated_cpu_seconds(engine, p);
  return seconds > 0 && seconds < rates::seconds_of_own_spinning;
}

const Plan* plan_of(const CallStep& step) {
  if (const auto* product = std::get_if<PlannedProduct>(&step)) return &product->plan;
  const auto* job = std::get_if<DeviceCall>(&step);
  return job != nullptr ? &job->plan : nullptr;
}

double expected_seconds(const Engine& engine, const std::vector<CallStep>& steps) {
  double sum = 0;
  for (const CallStep& step : steps) {
    const Plan* const plan = plan_of(step);
    const double seconds = plan == nullptr
                               ? estimated_cpu_seconds(engine, std::get<RoutineStep>(step).problem)
                           : plan->uses_gpu() ? plan->expected_seconds
                                              : plan->cpu_only_seconds;
    if (seconds <= 0) return 0;
    sum += seconds;
  }
  return sum;
}

}  // namespace duoblas

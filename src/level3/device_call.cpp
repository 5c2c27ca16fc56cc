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

// Where the device shares the host's memory, all but a C between whose rows the CPU writes.
MatricesInPlace in_place_of(const Level3Problem& p, const Plan& plan, std::int64_t gpu_extent) {
  if (copies(plan.sharing)) return {};
  const bool has_rows =
      updates_triangle(p.routine) || p.side == Side::right || gpu_extent == divided_extent(p);
  return usable_in_place(p, {true, true, has_rows});
}

// The plan's estimate is of a product without copies there. What a job copies is C, each way
// through memory of the host's: two copies, of which a core does less than 9 GB/s (an H200's host,
// bench_host_transfers).
double seconds_of_copies(const Level3Problem& p, const Plan& plan, MatricesInPlace in_place) {
  constexpr double bytes_per_second = 4e9;
  if (copies(plan.sharing) || in_place.c) return 0;
  const StoredShape c = stored_c(p);
  const double bytes = static_cast<double>(element_size(p.precision)) *
                       static_cast<double>(c.rows) * static_cast<double>(c.cols);
  const bool reads_c = is_in_place(p.routine) || p.beta != 0.0;
  return (reads_c ? 2 : 1) * bytes / bytes_per_second;
}

// What a job takes of which none like it was seen, over the estimate (which is of the transfers and
// flops): 1.3 times at n = 4096 on an H200, 4 times at 1024, where its steps are short and wait for
// one another.
constexpr double unseen_overhead = 2;

// A job must be expected to gain where it is new, and have gained since: over the estimate, and
// over what the CPU's own routine took where calls were left to it (not to a program's own BLAS),
// such as while kernels were built. Those may have been slow for that, so the lower one counts.
bool beats_cpu(Engine& engine, const Level3Problem& p, const Plan& plan, double cpu_estimate) {
  Level3Ways& ways = engine.level3_ways();
  const CallsAre calls = calls_are(engine);
  const double job = ways.seen_seconds(p, Level3Choice::job, calls)
                         .value_or(unseen_overhead * plan.expected_seconds);
  const double cpu =
      std::min(cpu_estimate, ways.seen_seconds(p, Level3Choice::cpu, calls).value_or(cpu_estimate));
  return job < worthwhile * cpu && cpu - job > least_gain_seconds;
}

bool is_faster(Engine& engine, const Level3Problem& p, const Plan& plan, const OtherWay& other) {
  if (plan.expected_seconds <= 0 || other.seconds <= 0) return false;
  if (!other.uses_gpu) return beats_cpu(engine, p, plan, other.seconds);
  if (engine.learns())
    return engine.level3_ways().choose(p, plan.expected_seconds, other.seconds,
                                       calls_are(engine)) == Level3Choice::job;
  return plan.expected_seconds < worthwhile * other.seconds &&
         other.seconds - plan.expected_seconds > least_gain_seconds;
}

}  // namespace

CallsAre calls_are(Engine& engine) {
  const Circumstances now = engine.learner().circumstances();
  const bool has_other_math = engine.request().math != engine.settings().math;
  return now.contended || now.unusual != 0 || has_other_math ? CallsAre::unusual : CallsAre::usual;
}

std::optional<DeviceCall> device_call(Engine& engine, const Level3Problem& p,
                                      const std::optional<OtherWay>& other) {
  if (p.only_scales_c()) return {};
  const GemmProblem whole = whole_product(p);
  DeviceCall call{p, 0, engine.plan(whole), {}};
  Plan& plan = call.plan;
  if (!plan.uses_gpu()) return {};
  plan.entry_rows = 0;
  plan.forecast.reset();
  scale_estimates(plan, p, whole);
  call.gpu_extent = extent_of(p, plan, whole, engine.request().forces_split());
  call.in_place = in_place_of(p, plan, call.gpu_extent);
  if (plan.expected_seconds > 0) plan.expected_seconds += seconds_of_copies(p, plan, call.in_place);
  // What is left to the CPU in any case costs a call no more than this.
  if (other && !other->uses_gpu && !is_faster(engine, p, plan, *other)) return {};
  if (!engine.takes_at_once(parts_for_device(p, call.gpu_extent).gpu, plan.kernel)) return {};
  if (other && other->uses_gpu && !is_faster(engine, p, plan, *other)) return {};
  return call;
}

Outcome carry_out(Engine& engine, const DeviceCall& call) {
  const DeviceParts parts = parts_for_device(call.problem, call.gpu_extent);
  const std::vector<CallStep> beside = steps_on_cpu(engine, cpu_blas_limits, parts.cpu);
  return engine.carry_out(Level3Parts{
      parts.gpu, call.plan, [&] { carry_out_on_cpu(engine, beside); },
      [&](const Level3Progress& done) {
        carry_out_on_cpu(engine, steps_on_cpu(engine, cpu_blas_limits, rest_of(parts.gpu, done)));
      },
      call.in_place, parts.c_of_cpu});
}

}  // namespace duoblas

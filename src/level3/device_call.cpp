// A level-3 call as one job of the device: whether that pays, and how it is divided.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "engine/level3_call.hpp"
#include "facts/rates.hpp"
#include "level3/call_steps.hpp"
#include "level3/device_parts.hpp"

namespace duoblas {
namespace {

// The device's part of the flops, as it is of its product's.
double share_of(const Plan& plan, const GemmProblem& whole) {
  const std::int64_t of = plan.axis == Axis::rows ? whole.m : whole.n;
  return static_cast<double>(plan.gpu_extent) / static_cast<double>(of);
}

// The part of a triangle of C grows with the square of its lines.
double share_of(const DeviceCall& call) {
  const double lines =
      static_cast<double>(call.gpu_extent) / static_cast<double>(divided_extent(call.problem));
  return updates_triangle(call.problem.routine) ? lines * lines : lines;
}

// Shares that are not given are rounded to so many lines.
constexpr std::int64_t line_unit = 32;

std::int64_t extent_of(const Level3Problem& p, const Plan& plan, double share, bool exactly) {
  const std::int64_t all = divided_extent(p);
  if (plan.strategy == Strategy::gpu) return all;
  if (updates_triangle(p.routine)) share = std::sqrt(share);
  const double extent = share * static_cast<double>(all);
  const auto rounded = exactly ? std::llround(extent)
                               : std::llround(extent / static_cast<double>(line_unit)) * line_unit;
  // With a line or two the device would show its overhead only, whatever its speed has become.
  return std::clamp<std::int64_t>(rounded, exactly ? 1 : std::min(line_unit, all), all);
}

// Where the device shares the host's memory, all but a C between whose rows the CPU writes.
MatricesInPlace in_place_of(const Level3Problem& p, const Plan& plan, std::int64_t gpu_extent) {
  if (copies(plan.sharing)) return {};
  const bool has_rows =
      updates_triangle(p.routine) || p.side == Side::right || gpu_extent == divided_extent(p);
  return usable_in_place(p, {true, true, has_rows});
}

// The plan's estimate is of a product without copies there. A job copies C to memory that the
// device uses in place, and back (gpu/level3/lines_apart.hpp): one copy each way.
double seconds_of_copies(const Level3Problem& p, const Plan& plan, MatricesInPlace in_place) {
  if (copies(plan.sharing) || in_place.c) return 0;
  const StoredShape c = stored_c(p);
  const double bytes = static_cast<double>(element_size(p.precision)) *
                       static_cast<double>(c.rows) * static_cast<double>(c.cols);
  return (reads_c(p) ? 2 : 1) * bytes / rates::copied_bytes_per_second;
}

/// How the device does a call, by the plan of a product.
struct JobPlan {
  Level3Problem call;
  GemmProblem whole;
  Plan plan;
  bool is_exact = false;           ///< its split was given
  std::optional<double> balanced;  ///< the device's share, where such jobs showed it

  /// The call, or a part of it that is one of the same routine.
  DeviceCall for_part(const Level3Problem& p) const {
    DeviceCall part{
        p, extent_of(p, plan, balanced.value_or(share_of(plan, whole)), is_exact), plan, {}};
    part.in_place = in_place_of(p, plan, part.gpu_extent);
    part.plan.entry_rows = 0;
    part.plan.forecast.reset();
    // The cost model estimates the product; the call has a triangle there, and fewer flops.
    const double share = flops(p) / flops(whole);
    double& expected = part.plan.expected_seconds;
    expected *=
        share * (p.routine == Routine::trsm ? rates::solving_overhead : rates::job_overhead);
    part.plan.cpu_only_seconds *= share;
    if (expected > 0) expected += seconds_of_copies(p, plan, part.in_place);
    return part;
  }
};

bool fits(const Engine& engine, const DeviceCall& call) {
  return engine.jobs().takes_at_once(parts_for_device(call.problem, call.gpu_extent).gpu,
                                     call.plan.kernel);
}

// Jobs, and products between them, which stream. The times of products contain their transfers;
// those of jobs follow from the plan of the whole product, which contains them too.
std::vector<CallStep> steps_in_pieces(Engine& engine, const Level3Problem& p,
                                      const JobPlan& of_call) {
  const auto pieces = pieces_for_device(
      p, [&](const Level3Problem& piece) { return fits(engine, of_call.for_part(piece)); });
  std::vector<CallStep> steps;
  if (!pieces) return steps;
  for (const Step& piece : *pieces)
    if (const auto* product = std::get_if<GemmProblem>(&piece))
      steps.emplace_back(PlannedProduct{*product, engine.plans().of(*product)});
    else
      steps.emplace_back(of_call.for_part(std::get<Level3Problem>(piece)));
  return steps;
}

// A device that copies keeps its product's share: its copies take time from the CPU's side,
// whatever that side's part is.
bool follows_times(const Engine& engine, const Plan& plan) {
  return plan.strategy == Strategy::hybrid && !copies(plan.sharing) && engine.learning().is_on() &&
         !engine.plans().request().forces_split();
}

// The device's share of the call, where such jobs showed it. A share that rounds to all lines
// leaves the CPU's side the fewest: without any it would show nothing any more, however fast it
// became.
std::optional<double> balanced_share(Engine& engine, const Level3Problem& p, const Plan& plan) {
  const std::int64_t all = divided_extent(p);
  const double most = share_of({p, std::max<std::int64_t>(0, all - line_unit), {}, {}});
  const auto share = engine.learning().ways().balanced_share(call_class(engine, p), 1 - most);
  const bool leaves_none = share && *share < 1 && extent_of(p, plan, *share, false) == all;
  return leaves_none ? most : share;
}

// The order down to which the CPU's trmm or trsm beside a job is done by halves, so that most of it
// is products; 0: not at all. A device that copies keeps the CPU BLAS's own routines busy as it
// did. Several threads of OpenBLAS do dtrmm and dtrsm far below its dgemm (8 of a 16-core Xeon's, n
// = 2048: 194 and 159 GFLOPS of 313); in single precision the more numerous calls lost more than
// that gained. One thread's trsm has 0.72 of its gemm's rate, and by halves with inverses of the
// smallest triangles 0.88 (s) and 0.91 (d); its trmm has 0.95, and by halves less
// (docs/experiments/cpu-kernels.md#one-threads-level-3).
std::int64_t least_order_beside(const DeviceCall& call) {
  if (copies(call.plan.sharing)) return 0;
  if (call.plan.cpu.threads == 1) return call.problem.routine == Routine::trsm ? 64 : 0;
  return call.problem.precision == Precision::d ? 256 : 0;
}

// One thread's trsm is by blocks of so many lines, and halves within them: OpenBLAS then packs what
// is solved once for all lines that follow. Of 1024 right-hand sides of 2048 lines that took 0.976
// (s) and 0.983 (d) of the time of halves alone (docs/experiments/cpu-kernels.md).
constexpr std::int64_t block_of_one_thread = 256;

std::vector<CallStep> steps_beside(Engine& engine, const DeviceCall& call,
                                   const DeviceParts& parts) {
  const std::int64_t least = least_order_beside(call);
  const bool one_thread = call.plan.cpu.threads == 1;
  const std::int64_t block = one_thread ? block_of_one_thread : 0;
  std::vector<CallStep> steps = steps_on_cpu(
      engine, cpu_blas_limits, least > 0 ? mostly_products(parts.cpu, least, block) : parts.cpu);
  if (!one_thread) return steps;
  for (CallStep& step : steps)
    if (auto* solve = std::get_if<RoutineStep>(&step))
      solve->by_inverse = solve->problem.routine == Routine::trsm && order(solve->problem) <= least;
  return steps;
}

// Products of a job have a few hundred lines, too few for kernels that pack both operands, but for
// large rank-k updates, csymm and chemm.
Plan plan_of_job(Engine& engine, const Level3Problem& p) {
  constexpr std::int64_t least = rates::tf32x3_jobs_from;
  const bool is_symm = p.routine == Routine::symm || p.routine == Routine::hemm;
  const bool gains = updates_triangle(p.routine)
                         ? p.n >= least
                         : is_symm && is_complex(p.precision) && std::min(p.m, p.n) >= least;
  return gains ? engine.plans().of(whole_product(p)) : engine.plans().exact(whole_product(p));
}

// The plan of a job is that of a product with as many flops. A caller who asks what was done wants
// to know the lines of the call, and who had them.
void tell_lines(Plan& plan, const DeviceCall& call) {
  const Level3Problem& p = call.problem;
  if (!plan.uses_gpu()) return;
  plan.strategy = call.gpu_extent < divided_extent(p) ? Strategy::hybrid : Strategy::gpu;
  plan.axis = updates_triangle(p.routine) || p.side == Side::right ? Axis::rows : Axis::columns;
  plan.gpu_extent = call.gpu_extent;
}

}  // namespace

std::vector<CallStep> device_steps(Engine& engine, const Level3Problem& p,
                                   const std::function<bool(double)>& pays) {
  if (p.only_scales_c()) return {};
  JobPlan of_call{
      p, whole_product(p), plan_of_job(engine, p), engine.plans().request().forces_split(), {}};
  if (!of_call.plan.uses_gpu()) return {};
  if (follows_times(engine, of_call.plan))
    of_call.balanced = balanced_share(engine, p, of_call.plan);
  const DeviceCall call = of_call.for_part(p);
  // A call that goes another way in any case is planned no further than this.
  if (pays && !pays(call.plan.expected_seconds)) return {};
  if (fits(engine, call)) return {call};
  std::vector<CallStep> steps = steps_in_pieces(engine, p, of_call);
  // Calls that were seen are judged by their times, as above.
  const bool is_new = !engine.learning().is_on() ||
                      !engine.learning().ways().seen_seconds(call_class(engine, p), Way::job);
  if (!steps.empty() && is_new && pays && !pays(expected_seconds(engine, steps))) return {};
  return steps;
}

Outcome carry_out(Engine& engine, const DeviceCall& call, Level3Device& device) {
  const DeviceParts parts = parts_for_device(call.problem, call.gpu_extent);
  const std::vector<CallStep> beside = steps_beside(engine, call, parts);
  const CallClass of_call = call_class(engine, call.problem);
  Outcome did = device.carry_out(
      Level3Parts{parts.gpu, call.plan, [&] { carry_out_on_cpu(engine, beside, &call.plan.cpu); },
                  [&](const Level3Progress& done) {
                    for (const Step& step : rest_of(parts.gpu, done)) run_on_cpu(engine, step);
                  },
                  call.in_place, parts.c_of_cpu});
  if (did.used_gpu && !did.recovered && follows_times(engine, call.plan))
    engine.learning().ways().observe_sides(of_call, share_of(call), did.job_times.whole,
                                           did.times.cpu);
  tell_lines(did.plan, call);
  return did;
}

}  // namespace duoblas

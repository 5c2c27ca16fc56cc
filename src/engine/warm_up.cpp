#include "engine/warm_up.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "engine/background_work.hpp"
#include "facts/rates.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/page_block.hpp"
#include "planner/call_estimate.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// The first product allocates and wakes what the others find ready, so its time shows nothing.
// Among the others the fastest was disturbed least.
constexpr int most_products = 4;
// From this size on OpenBLAS wakes all of its threads.
constexpr std::int64_t cpu_extent = 512;

struct Free {
  // Leaks the memory if a device hangs, which may write to it later.
  void operator()(void* memory) const noexcept {
    if (!cl::driver_hangs()) std::free(memory);
  }
};
using Memory = std::unique_ptr<void, Free>;

std::size_t bytes_of(const GemmProblem& p, std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(rows * cols) * element_size(p.precision);
}

// Ordinary memory, as programs use it. Every byte pattern in it is a small number.
Memory numbers(std::size_t bytes) {
  Memory memory(allocate_pages(bytes));
  if (memory) std::memset(memory.get(), 0x3c, bytes);
  return memory;
}

struct OwnProduct {
  GemmProblem problem;
  Memory a, b, c;

  explicit OwnProduct(GemmProblem sizes) : problem(sizes) {
    GemmProblem& p = problem;
    a = numbers(bytes_of(p, p.m, p.k));
    b = numbers(bytes_of(p, p.k, p.n));
    c = numbers(bytes_of(p, p.m, p.n));
    p.lda = stored_cols_a(p);
    p.ldb = stored_cols_b(p);
    p.ldc = p.n;
    p.alpha = 1.0;
    p.a = a.get();
    p.b = b.get();
    p.c = c.get();
  }
  bool is_there() const { return a && b && c; }
};

// The profile's estimate for all of C on the GPU.
struct OnGpu {
  Plan plan;
  Forecast forecast;
  double seconds = 0;
};

std::optional<OnGpu> on_gpu(const GemmProblem& problem, const PlanMachine& machine, MathMode math) {
  const ProfileInUse& tuned = machine.tuned(problem.precision);
  const ModelGroup* group = tuned.costs ? tuned_group(*tuned.costs, problem) : nullptr;
  if (group == nullptr) return std::nullopt;
  OnGpu on{make_plan(problem, machine, {Strategy::gpu, {}, math}), {}, 0};
  if (on.plan.strategy != Strategy::gpu) return std::nullopt;
  const CallEstimate estimate(*tuned.costs, *group, *tuned.profile, problem);
  on.forecast = estimate.forecast({Axis::rows, problem.m},
                                  {on.plan.kernel, on.plan.sharing, &machine.device});
  on.seconds = on.forecast.modelled[place_of(Timed::gpu_alone)];
  return on.seconds > 0 ? std::optional(on) : std::nullopt;
}

// Halves the longest side until the product is affordable: it takes at most `seconds` as far as the
// profile knows, and its operands are made in what any program may lose. The program's BLAS goes on
// meanwhile, with one core less.
std::optional<GemmProblem> affordable(GemmProblem p, const PlanMachine& machine, MathMode math,
                                      double seconds) {
  while (true) {
    const auto on = on_gpu(p, machine, math);
    if (!on || flops(p) < DUOBLAS_SMALLEST_GPU_FLOPS) return std::nullopt;
    const double bytes = static_cast<double>(bytes_of(p, p.m, p.k)) +
                         static_cast<double>(bytes_of(p, p.k, p.n)) +
                         static_cast<double>(bytes_of(p, p.m, p.n));
    if (on->seconds <= seconds &&
        bytes / rates::alone_copied_bytes_per_second <= Learner::free_seconds)
      return p;
    std::int64_t& longest = p.m >= p.n && p.m >= p.k ? p.m : p.n >= p.k ? p.n : p.k;
    longest /= 2;
  }
}

struct WarmedUp {
  double first = 0;               // seconds; 0: its time is not known, for the same reasons
  std::optional<double> fastest;  // of the others; nothing where the GPU failed, another had it, or
                                  // checks are in the times
};

WarmedUp run_on_gpu(Engine& engine, const GemmProblem& problem, const Plan& plan) {
  WarmedUp did;
  double all = 0;
  // Other calls might have the device meanwhile.
  const double longest = most_products * rates::slowed_by_programs_blas * Learner::free_seconds;
  for (int i = 0; i < most_products && all < longest; ++i) {
    if (!background_work_is_wanted()) break;
    const Outcome outcome = engine.carry_out({problem, plan});
    if (outcome.recovered || outcome.check_in_times || outcome.plan.strategy != Strategy::gpu)
      return {did.first, {}};
    const double took = outcome.times.whole;
    all += took;
    if (i == 0)
      did.first = took;
    else
      did.fastest = std::min(did.fastest.value_or(took), took);
  }
  return did;
}

void explain(Engine& engine, const GemmProblem& p, const OnGpu& on, const WarmedUp& did) {
  char text[200];
  const int used = std::snprintf(text, sizeof text,
                                 "warmed up with %cgemm %" PRId64 " x %" PRId64 " x %" PRId64
                                 " on the GPU: the first took %.3g ms",
                                 letter(p.precision), p.m, p.n, p.k, did.first * 1e3);
  const auto room = sizeof text - static_cast<std::size_t>(used);
  if (did.fastest)
    std::snprintf(text + used, room, ", the fastest %.3g, the profile promises %.3g",
                  *did.fastest * 1e3, on.seconds * 1e3);
  else
    std::snprintf(text + used, room, ", and no other was timed");
  engine.log().once(text);
}

// Beside the program's BLAS it is slower than alone. So a long time neither confirms nor refutes a
// profile of this device. Infinite: no time can refute it.
double slower_than_promised(ProfileMatch of_profile) {
  return of_profile < ProfileMatch::device ? std::numeric_limits<double>::infinity() : 1.3;
}

// Tells the learner, as a call of another class of the family: the program's own calls still have
// to show their times. Twice, since a long first time shows nothing.
void tell(Engine& engine, const GemmProblem& problem, const OnGpu& on, double seconds) {
  CallKind kind = kind_of(problem, {});
  kind.call ^= std::uint64_t{1} << 63;
  CallTimes took;
  took.seconds[place_of(Timed::gpu_alone)] = seconds;
  took.whole = seconds;
  took.is_part = true;  // no call of the program's
  for (int i = 0; i < 2; ++i) engine.learning().learner().note(kind, on.forecast, took);
}

void wake_cpu(Engine& engine, Precision precision) {
  GemmProblem small;
  small.precision = precision;
  small.m = small.n = small.k = cpu_extent;
  const OwnProduct own(small);
  if (own.is_there()) engine.cpu().run(own.problem, engine.machine().cpu_for(precision));
}

}  // namespace

double warm_up(Engine& engine, const GemmProblem& like, ProfileMatch of_profile) noexcept {
  double building = 0;
  try {
    const PlanMachine& machine = engine.machine();
    const PlanRequest wanted = engine.plans().request();
    if (!machine.has_gpu || !machine.tuned(like.precision).profile || !wanted.chooses_by_speed())
      return building;
    const bool borrowed = of_profile < ProfileMatch::device;
    if (borrowed ? !engine.learning().is_on()
                 : make_plan(like, machine, wanted).strategy == Strategy::cpu)
      return building;
    // Another device's profile may promise a time that is far too short.
    const auto sizes =
        affordable(like, machine, wanted.math,
                   Learner::free_seconds / (borrowed ? rates::slowed_by_programs_blas : 1));
    if (!sizes) return building;
    const auto on = on_gpu(*sizes, machine, wanted.math);
    const OwnProduct own(*sizes);
    if (!on || !own.is_there()) return building;
    const Launches launches(own.problem, on->plan);
    const Stopwatch watch;
    engine.readiness().build_here(launches);
    building = watch.seconds();
    if (!background_work_is_wanted() || !engine.readiness().has(launches)) return building;
    wake_cpu(engine, own.problem.precision);
    const WarmedUp did = run_on_gpu(engine, own.problem, on->plan);
    if (did.first > 0) explain(engine, own.problem, *on, did);
    const auto seconds = did.fastest;
    if (!seconds || !engine.learning().is_on() ||
        *seconds > slower_than_promised(of_profile) * on->seconds)
      return building;
    tell(engine, own.problem, *on,
         borrowed ? warm_up_seconds(*seconds, on->seconds) : std::min(*seconds, on->seconds));
  } catch (const std::exception&) {
    // The program's own calls will report the problem.
  }
  return building;
}

}  // namespace duoblas

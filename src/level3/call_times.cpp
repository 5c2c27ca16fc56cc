// What level-3 calls and their steps take, as expected and as seen; which are too small for the
// device, and who does the others.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/background_work.hpp"
#include "level3/blocked_level3.hpp"
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

namespace {

// The CPU's own routine may have been slow beside a compiler. Such a time is an upper bound, so the
// lower one counts.
double seconds_of_cpu(Engine& engine, const Level3Problem& p, double estimate) {
  const auto seen =
      engine.learning().ways().seen_seconds(class_of(p, CallsAre::unusual), Way::plain);
  return std::min(estimate, seen.value_or(estimate));
}

/// How the whole call was done; nothing: in some mixed way.
std::optional<Way> way_taken(const Decision& decision, const Outcome& did) {
  const bool has_job = first_of<DeviceCall>(decision.steps) != nullptr;
  if (did.recovered) return did.was_declined && has_job ? std::optional(Way::job) : std::nullopt;
  if (did.used_gpu) return has_job ? Way::job : Way::halves;
  return decision.steps.size() == 1 ? std::optional(Way::plain) : std::nullopt;
}

}  // namespace

// Where only the products of halves are below the crossover, one job has been compared.
bool is_choice(const Engine& engine, const Level3Problem& p, const Decision& decision) {
  if (p.only_scales_c()) return false;
  return decision.reason != Reason::below_crossover ||
         (flops(p) >= smallest_flops(engine, p.routine, p.precision) && !is_too_short(engine, p));
}

CallClass call_class(Engine& engine, const Level3Problem& p) {
  const Circumstances now = engine.learning().learner().circumstances();
  const bool has_other_math = engine.plans().request().math != engine.settings().math;
  const bool is_unusual = now.contended || now.unusual != 0 || has_other_math;
  return class_of(p, is_unusual ? CallsAre::unusual : CallsAre::usual);
}

Way choose_way(Engine& engine, const Level3Problem& p, const SecondsOfWays& expected,
               bool may_be_plain) {
  const auto [plain, job, halves] = expected;
  const bool has_halves = halves > 0;
  if (plain <= 0) return has_halves ? Way::halves : Way::plain;
  // Halves rest on products that the learner knows. A job that is new must be expected to gain.
  constexpr double doubt = rates::unseen_job_overhead;
  if (!engine.learning().is_on()) {
    const bool job_gains = job > 0 && (has_halves ? gains(job, halves) : gains(doubt * job, plain));
    return job_gains ? Way::job : has_halves ? Way::halves : Way::plain;
  }
  const double cpu = seconds_of_cpu(engine, p, plain);
  std::array<WayEstimate, 3> ways;
  std::size_t count = 0;
  if (has_halves) {
    // Estimates chose the device.
    const double least = job > 0 ? std::min(job, halves) : halves,
                 scale = std::min(1.0, cpu / least);
    if (job > 0) ways[count++] = {Way::job, scale * job};
    ways[count++] = {Way::halves, scale * halves};
  } else if (job > 0) {
    ways[count++] = {Way::job, job + rates::seconds_of_own_spinning / doubt, doubt / worthwhile};
  }
  if (may_be_plain || count == 0) ways[count++] = {Way::plain, cpu};
  return engine.learning().choose(call_class(engine, p), std::span(ways.data(), count));
}

void remember(Engine& engine, const Level3Problem& p, const Decision& decision, const Outcome& did,
              const CallClass& call) {
  if (!is_choice(engine, p, decision)) return;
  const auto way = way_taken(decision, did);
  if (!way) return;
  // Beside kernels that are built the CPU may be slow.
  const bool is_disturbed = *way == Way::plain && (did.plan.reason == Reason::kernels_building ||
                                                   background_work_is_running());
  engine.learning().observe(is_disturbed ? as_unusual(call) : call, *way, did.times.whole);
}

}  // namespace duoblas

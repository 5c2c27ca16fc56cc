#include "dropin/engine/device_start.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "api/context_state.hpp"
#include "cpu/cpu_limits.hpp"
#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/call_limits.hpp"
#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/listed_program.hpp"
#include "dropin/engine/program_activity.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "engine/cpu_blas.hpp"
#include "engine/likely_kernels.hpp"
#include "engine/warm_up.hpp"
#include "facts/rates.hpp"
#include "level3/blocked_level3.hpp"
#include "os/fork_state.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// The threads of the program's BLAS at its last call before the device was started.
constinit std::atomic<int> threads_of_program{0};

// Whether start_policy() was called.
constinit std::atomic<bool> has_policy{false};

// Whether the learner may get the calls before the start.
constinit std::atomic<bool> is_open{false};

// Loads the instance beside the GPU, the one on all cores, and the one with threads of its own for
// routines other than gemm. Each takes tens of milliseconds. \throws CpuBlasError.
void load_cpu_blas(Engine& engine, Precision precision) {
  engine.cpu().prepare(engine.machine().cpu_for(precision));
  engine.cpu().prepare(engine.machine().cpu_all_for(precision));
  try {
    require_on_cpu(engine, Routine::syrk, precision);
  } catch (const CpuBlasError&) {
    // The library has only gemm.
  }
}

// A forked child's calls are none of the program's, and the learner's lock may have been held.
void keep_at_exit() noexcept {
  if (fork_generation() != 0 || is_other_process()) return;
  Engine& engine = ContextEngine::of(Context::process_default());
  StartPolicy& policy = start_policy(engine);
  policy.note_end(engine.learning().learner().gains(), [&engine](const GemmProblem& product) {
    return engine.plans().promised_gain(product);
  });
  list_program(engine.settings().cache_dir, policy.is_next_to_start());
  if (engine.learning().is_on()) engine.learning().keep();
}

constinit std::mutex level3_mutex;
// The largest call before the start of a level-3 routine other than gemm. Its matrices may be gone
// by the time that it is asked for.
constinit std::optional<Level3Problem> largest_level3;

}  // namespace

StartPolicy& start_policy(const Engine& engine) {
  static StartPolicy& one = *new StartPolicy(engine.settings());
  // Where no handler can be registered, what was kept before counts.
  if (!has_policy.exchange(true, std::memory_order_relaxed)) (void)std::atexit(keep_at_exit);
  return one;
}

std::string account_of_start() {
  if (!has_policy.load(std::memory_order_relaxed) || fork_generation() != 0) return {};
  Engine& engine = ContextEngine::of(Context::process_default());
  const std::string advice = engine.facts().tuning_advice();
  return start_policy(engine).account(engine.learning().learner().gains()) +
         (advice.empty() ? "" : "tuning: " + advice + "\n");
}

void keep_work(Engine& engine) noexcept {
  if (fork_generation() != 0 || !engine.learning().is_on() ||
      !engine.plans().request().chooses_by_speed())
    return;
  StartPolicy& policy = start_policy(engine);
  if (policy.is_turn_to_keep()) policy.keep(engine.learning().learner().gains());
}

void note_before_start(Engine& engine, const duoblas_blas_call& call) noexcept {
  threads_of_program.store(call.threads, std::memory_order_relaxed);
  if (is_stream(call.routine)) return;
  // For the other level-3 routines, the product inside serves as well for a warm-up.
  start_policy(engine).note_product(product_of(call));
  if (call.routine != DUOBLAS_GEMM) note_level3_before_start(to_row_major(caller_level3(call)));
}

void make_ready(Engine& engine) {
  bool useful = false;
  // Without a call it is not known whose BLAS the program has, and the first call recalls.
  if (threads_of_program.load() != 0)
    engine.learning().recall();
  else if (engine.learning().is_on())
    engine.learning().prepare();
  is_open.store(true);
  if (engine.learning().is_on()) calls_before_start().tell(engine);
  try {
    for (const Precision precision : all_precisions) {
      if (!background_work_is_wanted()) return;
      const bool has_products = engine.plans().smallest_gemm_flops(precision) != never;
      if (!has_products && engine.plans().smallest_bytes(precision) == never) continue;
      load_cpu_blas(engine, precision);
      if (!has_products) continue;
      engine.readiness().build_transfers(precision);
      useful = true;
    }
  } catch (const Error&) {
    start_policy(engine).note_useless();
    return leave_everything(Reason::no_cpu_blas);
  }
  limit_calls(engine, useful);
  const auto largest = start_policy(engine).largest_product();
  double building = 0;
  // If this is done inside one of the program's calls, that call has waited long enough.
  if (useful && largest && main_exit_waits()) {
    const ScopedThreadBound as_the_program_allows(threads_of_program.load());
    building = warm_up(engine, *largest, engine.machine().match);
  }
  if (!useful) return start_policy(engine).note_useless();
  start_policy(engine).note_ready(building);
  build_level3_kernels(engine);
  // A known program's kernels are there since its earlier runs. A compiler that builds others holds
  // up what its calls need.
  if (!start_policy(engine).knows_program())
    build_likely_kernels(engine, [] { return program_activity.rests(); });
}

bool device_is_open() noexcept {
  return is_open.load();
}

void note_level3_before_start(const Level3Problem& problem) noexcept {
  const std::lock_guard guard(level3_mutex);
  if (!largest_level3 || flops(problem) > flops(*largest_level3)) largest_level3 = problem;
}

void build_level3_kernels(Engine& engine) {
  std::optional<Level3Problem> problem;
  {
    const std::lock_guard guard(level3_mutex);
    problem = std::exchange(largest_level3, std::nullopt);
  }
  if (!problem || !engine.plans().request().chooses_by_speed()) return;
  if (flops(*problem) < smallest_flops(engine, problem->routine, problem->precision)) return;
  for (const auto& [product, plan] : likely_products(engine, *problem)) {
    if (!background_work_is_wanted()) return;
    engine.readiness().build_here(ProductLaunches(product, plan));
  }
}

bool is_worth_a_core(double flops, int threads, int cores) noexcept {
  // With two cores, one is half of the call, as much as the driver takes.
  if (threads < 3 || threads < cores) return false;
  const double seconds = flops / (threads * rates::flops_per_second_of_core);
  return seconds / (threads - 1) < rates::core_seconds_of_start;
}

bool should_spare_a_core(const duoblas_blas_call& call, bool begins) noexcept try {
  const double seconds = seconds_of_background_work();
  return (seconds > 0 || begins) && seconds < rates::longest_start_seconds &&
         is_worth_a_core(flops(call), call.threads, static_cast<int>(allowed_cores().size()));
} catch (const std::bad_alloc&) {
  return false;
}

bool start_compiles() noexcept {
  return seconds_of_background_work() >= rates::usual_start_seconds;
}

}  // namespace duoblas

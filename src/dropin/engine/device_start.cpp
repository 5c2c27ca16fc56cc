#include "dropin/engine/device_start.hpp"
#include "engine/cpu_blas.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include <duoblas/error.hpp>

#include "cpu/thread_bound.hpp"
#include "dropin/engine/call_limits.hpp"
#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/level3_kernels.hpp"
#include "dropin/engine/program_activity.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "engine/likely_kernels.hpp"
#include "engine/warm_up.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// The threads of the program's BLAS at its last call before the device was started.
constinit std::atomic<int> threads_of_program{0};

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

// The part of a product's time that the device is expected to save.
double expected_gain(Engine& engine, const std::optional<GemmProblem>& problem) {
  if (!problem || !engine.learning().is_on()) return 0;
  const Plan plan = engine.plans().of(*problem);
  if (!plan.forecast || plan.forecast->best == Timed::cpu_all) return 0;
  const auto of_cpu = engine.learning().learned(plan.forecast->kind).of(Timed::cpu_all);
  const double cpu = plan.forecast->modelled[place_of(Timed::cpu_all)] * std::exp(of_cpu.mean);
  return cpu > 0 ? 1 - plan.forecast->best_seconds / cpu : 0;
}

}  // namespace

StartPolicy& start_policy(const Engine& engine) {
  static StartPolicy& one = *new StartPolicy(engine.settings());
  return one;
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
  start_policy(engine).note_start(0);
  engine.learning().recall();
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
    return leave_everything(Reason::no_cpu_blas);
  }
  limit_calls(engine, useful);
  const auto largest = start_policy(engine).largest_product();
  // If this is done inside one of the program's calls, that call has waited long enough.
  if (useful && largest && main_exit_waits()) {
    const ScopedThreadBound as_the_program_allows(threads_of_program.load());
    warm_up(engine, *largest, engine.machine().match);
  }
  const double gain = expected_gain(engine, largest);
  if (gain > 0) start_policy(engine).note_start(gain);
  if (!useful) return;
  build_level3_kernels(engine);
  build_likely_kernels(engine, [] { return program_activity.rests(); });
}

bool device_is_open() noexcept {
  return is_open.load();
}

}  // namespace duoblas

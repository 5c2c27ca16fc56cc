#include "dropin/engine/device_start.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include <duoblas/error.hpp>

#include "api/context_state.hpp"
#include "cpu/cpu_limits.hpp"
#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/call_limits.hpp"
#include "dropin/engine/calls_before_start.hpp"
#include "dropin/engine/program_call.hpp"
#include "engine/background_work.hpp"
#include "engine/cpu_blas.hpp"
#include "engine/dropin_opening.hpp"
#include "engine/listed_program.hpp"
#include "engine/warm_up.hpp"
#include "facts/rates.hpp"
#include "level3/blocked_level3.hpp"
#include "os/fork_state.hpp"
#include "planner/forecast.hpp"

namespace duoblas {
namespace {

// The threads of the program's BLAS at its last call before the device was started.
constinit std::atomic<int> threads_of_program{0};

// Whether the program's calls are counted.
constinit std::atomic<bool> has_begun{false};

// Whether the learner may get the calls before the start.
constinit std::atomic<bool> is_open{false};

// Whether the device is of use, and whether a rank made a call for which it is opened.
constinit std::atomic<bool> is_of_use{false}, rank_has_called{false};

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

// Of a rank evidence is kept.
void keep_of_rank(Engine& engine) noexcept {
  const Settings& settings = engine.settings();
  if (settings.history) list_program(settings.cache_dir, is_of_use && rank_has_called);
  engine.learning().keep();
}

// A forked child's calls are none of the program's, and the learner's lock may have been held.
void keep_at_exit() noexcept {
  if (fork_generation() != 0 || is_other_process()) return;
  Engine& engine = ContextEngine::of(Context::process_default());
  if (engine.settings().fixes_plans()) return keep_of_rank(engine);
  engine.outlays().note_end(
      engine.learning().learner().gains(),
      [&engine](const GemmProblem& product) { return engine.plans().promised_gain(product); },
      engine.learning().learner().gains_of_classes());
  if (const auto is_next = engine.outlays().is_next_to_start())
    list_program(engine.settings().cache_dir, *is_next);
  if (engine.learning().is_on()) engine.learning().keep();
}

}  // namespace

Outlays& program_outlays(Engine& engine) {
  static const bool begun = [&engine] {
    engine.outlays().begin_program([](const auto& e) { return calls_before_start().known(e); });
    // Where no handler can be registered, what was kept before counts.
    (void)std::atexit(keep_at_exit);
    return true;
  }();
  has_begun.store(begun, std::memory_order_relaxed);
  return engine.outlays();
}

std::string account_of_program() {
  if (!has_begun.load(std::memory_order_relaxed) || fork_generation() != 0) return {};
  Engine& engine = ContextEngine::of(Context::process_default());
  CallLearner& learner = engine.learning().learner();
  const std::string advice = engine.facts().tuning_advice();
  return engine.outlays().account(learner.gains(), learner.spent(), learner.gains_of_classes()) +
         (advice.empty() ? "" : "tuning: " + advice + "\n");
}

void keep_work(Engine& engine) noexcept {
  if (fork_generation() != 0 || !engine.learning().is_on() ||
      !engine.plans().request().chooses_by_speed())
    return;
  Outlays& outlays = program_outlays(engine);
  CallLearner& learner = engine.learning().learner();
  if (outlays.is_turn_to_keep()) outlays.keep(learner.gains(), learner.gains_of_classes());
}

void note_before_start(const duoblas_blas_call& call) noexcept {
  threads_of_program.store(call.threads, std::memory_order_relaxed);
  calls_before_start().note(call);
}

void make_ready(Engine& engine) {
  bool useful = false;
  if (engine.settings().fixes_plans()) (void)std::atexit(keep_at_exit);
  // Without a call it is not known whose BLAS the program has, and the first call recalls.
  if (threads_of_program.load() != 0)
    engine.learning().recall();
  else if (engine.learning().is_on() || engine.settings().fixes_plans())
    engine.learning().prepare();
  is_open.store(true);
  if (engine.learning().is_on()) calls_before_start().tell(engine);
  try {
    for (const Precision precision : all_precisions) {
      if (!background_work_is_wanted()) return;
      const bool has_products = engine.plans().smallest_gemm_flops(precision) < endless;
      if (!has_products && engine.plans().smallest_bytes(precision) == endless) continue;
      load_cpu_blas(engine, precision);
      if (!has_products) continue;
      engine.readiness().build_transfers(precision);
      useful = true;
    }
  } catch (const Error&) {
    engine.outlays().note_useless();
    return leave_everything(Reason::no_cpu_blas);
  }
  limit_calls(engine, useful);
  if (!useful) return engine.outlays().note_useless();
  is_of_use.store(true);
  const auto largest = calls_before_start().largest_product();
  double building = 0;
  // If this is done inside one of the program's calls, that call has waited long enough.
  if (largest && main_exit_waits()) {
    const ScopedThreadBound as_the_program_allows(threads_of_program.load());
    building = warm_up(engine, *largest, engine.machine().tuned(largest->precision).match);
  }
  engine.outlays().note_ready(building);
  calls_before_start().expect(engine);
}

void make_rank_ready(Engine& engine) {
  open_at_once(engine, make_ready);
  // What is known depends on the caller's BLAS.
  engine.learning().recall();
  rank_has_called.store(true, std::memory_order_relaxed);
}

bool device_is_open() noexcept {
  return is_open.load();
}

// A skier rents until that has cost as much as skis (planner/account.hpp).
bool is_worth_a_core(double flops, int threads, int cores, double passed,
                     double lost_by_start) noexcept {
  // With two cores, one is half of the call, as much as the driver takes.
  if (threads < 3 || threads < cores) return false;
  const double seconds = flops / (threads * rates::flops_per_second_of_core);
  return (passed + seconds) / (threads - 1) < lost_by_start;
}

bool should_spare_a_core(const Outlays& outlays, const duoblas_blas_call& call,
                         bool begins) noexcept try {
  const double passed = seconds_of_background_work();
  if (!(passed > 0 || begins)) return false;
  return is_worth_a_core(flops(call), call.threads, static_cast<int>(allowed_cores().size()),
                         passed, OutlayCosts{outlays.until_ready()}.start());
} catch (const std::bad_alloc&) {
  return false;
}
}  // namespace duoblas

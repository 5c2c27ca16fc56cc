// The drop-in's way into the engine: a call is planned first, and left to the program's own BLAS
// where that is as good.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <duoblas/export.hpp>

#include "api/context_engine.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/fork_state.hpp"
#include "cpu/thread_bound.hpp"
#include "dropin/engine/call_summary.hpp"
#include "dropin/engine/call_trials.hpp"
#include "dropin/engine/kernel_forethought.hpp"
#include "dropin/engine/left_calls.hpp"
#include "engine/dropin_opening.hpp"
#include "level3/blocked_level3.hpp"
#include "level3/halving.hpp"
#include "level3/level3_call.hpp"
#include "level3/smallest_flops.hpp"
#include "problem/level3_call.h"

namespace duoblas {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constinit double limits[DUOBLAS_ROUTINES][precision_count] = {};

void set_smallest_flops(int routine, Precision precision, double flops) {
  std::atomic_ref(limits[routine][precision_index(precision)])
      .store(flops, std::memory_order_relaxed);
}

// Of duoblas_dropin_engine::run.
enum Answer { passed_on = 0, by_engine = 1, passed_on_timed = DUOBLAS_TIMED };

bool is_forced(const Settings& settings) {
  return settings.split || settings.strategy == Strategy::gpu ||
         settings.strategy == Strategy::hybrid;
}

// What is left to the next definition must be as the caller gave it.
[[noreturn]] void end_because_half_done(const char* why) {
  std::fprintf(stderr, "duoblas: a product cannot be finished: %s\n", why);
  std::abort();
}

template <typename Computation>
void finish(Computation&& computation) {
  try {
    computation();
  } catch (const std::exception& error) {
    end_because_half_done(error.what());
  }
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constinit CallTrials trials;
constinit LeftCalls left_calls;

// A strategy or a split that was asked for is no matter of speed.
bool may_be_tried(const Engine& engine) {
  return !engine.insists_on_gpu() && !engine.settings().split;
}

Turn turn_of(const Engine& engine, const duoblas_level3_call& call) {
  return may_be_tried(engine) ? trials.next(call) : Turn::engine;
}

void note_turn(const Engine& engine, const duoblas_level3_call& call, double seconds,
               double cpu_estimate) {
  if (may_be_tried(engine)) trials.note(call, Turn::engine, seconds, cpu_estimate);
}

void run_gemm(Engine& engine, const duoblas_level3_call& call, const GemmProblem& problem) {
  const Clock::time_point start = Clock::now();
  const CallReport did = engine.run(problem);
  DoneCall done{did.used_gpu(), flops(problem)};
  done.seconds = seconds_since(start);
  const double cpu_only = did.plan.cpu_only_seconds;
  if (cpu_only > 0) done.seconds_won = cpu_only - done.seconds;
  note_turn(engine, call, done.seconds, cpu_only);
  if (engine.settings().summary) note_done(call, done);
}

void run_others(Engine& engine, const duoblas_level3_call& call, const Level3Problem& problem) {
  const Clock::time_point start = Clock::now();
  Level3Report did = run_level3(engine, problem);
  did.seconds = seconds_since(start);
  if (may_be_tried(engine))
    note_turn(engine, call, did.seconds, level3_seconds_on_cpu(engine, problem));
  if (engine.settings().summary)
    note_done(call, {did.used_gpu, flops(problem), did.seconds, did.seconds_won});
}

// Nobody who asked for nothing waits for a compiler.
template <typename... Call>
bool may_start(Engine& engine, const Call&... call) {
  return !may_be_tried(engine) || finds_its_kernels(engine, call...);
}

// What was asked for is no matter of speed, and is not left because it was before.
Answer left(const Engine& engine, const duoblas_level3_call& call) {
  if (may_be_tried(engine)) left_calls.remember(call);
  return passed_on;
}

// What throws outside of finish() does so while nothing is written yet.
Answer gemm_with_gpu(Engine& engine, const duoblas_level3_call& call) {
  const GemmProblem problem = gemm_problem(call);
  const Plan plan = engine.plan(problem);
  if (plan.strategy == Strategy::cpu) return left(engine, call);
  const Turn turn = turn_of(engine, call);
  if (turn != Turn::engine) return turn == Turn::timed ? passed_on_timed : passed_on;
  if (!may_start(engine, problem, plan)) return passed_on;
  engine.cpu().prepare(plan.cpu);
  finish([&] { run_gemm(engine, call, problem); });
  return by_engine;
}

Answer others_with_gpu(Engine& engine, const duoblas_level3_call& call) {
  const Level3Problem problem = to_row_major(caller_level3(call));
  if (!gpu_helps(engine, problem)) return left(engine, call);
  const Turn turn = turn_of(engine, call);
  if (turn != Turn::engine) return turn == Turn::timed ? passed_on_timed : passed_on;
  if (!may_start(engine, problem)) return passed_on;
  finish([&] { run_others(engine, call, problem); });
  return by_engine;
}

Answer answer(Engine& engine, const duoblas_level3_call& call) {
  // Without a plan, which takes microseconds.
  if (may_be_tried(engine) && (left_calls.knows(call) || trials.passes_on(call))) return passed_on;
  return call.routine == DUOBLAS_GEMM ? gemm_with_gpu(engine, call) : others_with_gpu(engine, call);
}

template <typename Flops>
void note_smallest_flops(Flops&& of) {
  for (int routine = 0; routine < DUOBLAS_ROUTINES; ++routine)
    for (const Precision precision : all_precisions)
      set_smallest_flops(routine, precision, of(routine, precision));
}

// Before the device is known: from which sizes on it is looked for.
double flops_to_open(int routine, Precision) {
  if (routine == DUOBLAS_GEMM) return smallest_gpu_flops;
  return smallest_gpu_flops / largest_product_share(routine_of(routine));
}

// Each instance takes tens of milliseconds to load: the one beside the GPU, the one on all cores,
// and that with threads of its own for what is no product. \throws CpuBlasError.
void load_cpu_blas(Engine& engine, Precision precision) {
  engine.cpu().prepare(engine.machine().cpu_for(precision));
  engine.cpu().prepare(engine.machine().cpu_all_for(precision));
  try {
    engine.require_on_cpu(Routine::syrk, precision);
  } catch (const CpuBlasError&) {
    // A library that has products only.
  }
}

// Once the device and its profile are known: from which sizes on they are of use. What first
// products would wait for is made here too; without the CPU's part there is no product.
void make_ready(Engine& engine) {
  bool useful = false;
  try {
    for (const Precision precision : all_precisions) {
      if (engine.smallest_gemm_flops(precision) == never) continue;
      load_cpu_blas(engine, precision);
      engine.build_transfers(precision);
      useful = true;
    }
  } catch (const Error&) {
    useful = false;
  }
  note_smallest_flops([&](int routine, Precision precision) {
    if (!useful) return never;
    return routine == DUOBLAS_GEMM ? engine.smallest_gemm_flops(precision)
                                   : smallest_flops(engine, routine_of(routine), precision);
  });
  if (useful) build_likely_kernels(engine);
}

Engine& engine() {
  return ContextEngine::of(Context::process_default());
}

// Wrong settings are the user's to hear of, whatever else is silent: nothing else can tell.
void say_once(const char* what) {
  static constinit std::atomic_flag said;
  if (!said.test_and_set()) std::fprintf(stderr, "duoblas: the CPU does every product: %s\n", what);
}

// A fork that had begun when our handlers were registered leaves locks behind, and tells nobody.
bool in_forked_child() {
  note_process();
  return fork_generation() != 0 || is_other_process();
}

int run(const duoblas_level3_call* call) noexcept {
  if (in_forked_child() || inside_cpu_blas()) return passed_on;
  try {
    Engine& e = engine();
    const ScopedThreadBound as_the_program_allows(call->threads);
    if (!is_forced(e.settings()) && !opened_in_background(e, make_ready)) return passed_on;
    return answer(e, *call);
  } catch (const SettingError& error) {
    // They stay wrong: no later call needs to ask.
    note_smallest_flops([](int, Precision) { return never; });
    say_once(error.what());
  } catch (const std::exception& error) {
    say_once(error.what());
  }
  return passed_on;
}

int run_anywhere(const duoblas_level3_call* call) noexcept {
  if (inside_cpu_blas()) return 0;
  try {
    Engine& e = engine();
    if (call->routine == DUOBLAS_GEMM) {
      const GemmProblem problem = gemm_problem(*call);
      e.cpu().prepare(e.plan(problem).cpu);
      finish([&] { run_gemm(e, *call, problem); });
    } else {
      const Level3Problem problem = to_row_major(caller_level3(*call));
      e.require_on_cpu(problem.routine, problem.precision);
      finish([&] { run_others(e, *call, problem); });
    }
    return 1;
  } catch (const std::exception& error) {
    say_once(error.what());
  }
  return 0;
}

// Our own CPU BLAS's calls are parts of others.
void note_programs_call(const duoblas_level3_call* call) noexcept {
  if (!in_forked_child() && !inside_cpu_blas()) note_passed_on(*call);
}

void note_seconds(const duoblas_level3_call* call, double seconds) noexcept {
  if (!in_forked_child()) trials.note(*call, Turn::timed, seconds, 0);
}

constinit const struct duoblas_dropin_engine table = {
    4, run, limits, run_anywhere, note_programs_call, note_seconds};

}  // namespace
}  // namespace duoblas

extern "C" DUOBLAS_API const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void) {
  duoblas::note_smallest_flops(duoblas::flops_to_open);
  return &duoblas::table;
}

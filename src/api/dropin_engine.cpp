// The drop-in's way into the engine: a call is planned first, and left to the program's own BLAS
// where that is as good.
#include <atomic>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include <duoblas/export.hpp>

#include "api/context_engine.hpp"
#include "api/dropin_opening.hpp"
#include "cpu/blas_instance.hpp"
#include "cpu/fork_state.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/level3_call.h"

namespace duoblas {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constinit double smallest_flops[DUOBLAS_ROUTINES][precision_count] = {};

void set_smallest_flops(int routine, Precision precision, double flops) {
  std::atomic_ref(smallest_flops[routine][precision_index(precision)])
      .store(flops, std::memory_order_relaxed);
}

bool is_forced(const Settings& settings) {
  return settings.split || settings.strategy == Strategy::gpu ||
         settings.strategy == Strategy::hybrid;
}

std::complex<double> scalar(const void* value, Precision precision) {
  switch (precision) {
    case Precision::s: return *static_cast<const float*>(value);
    case Precision::d: return *static_cast<const double*>(value);
    case Precision::c: return std::complex<double>(*static_cast<const std::complex<float>*>(value));
    case Precision::z: return *static_cast<const std::complex<double>*>(value);
  }
  return 0;
}

Op op_of(int cblas) {
  return cblas == 111 ? Op::none : cblas == 112 ? Op::transpose : Op::conj_transpose;
}

GemmProblem gemm_problem(const duoblas_level3_call& call) {
  const auto precision = static_cast<Precision>(call.precision);
  CallerGemm gemm{call.layout == 101 ? Layout::row_major : Layout::column_major, {}};
  gemm.args = {precision,
               op_of(call.op_a),
               op_of(call.op_b),
               call.m,
               call.n,
               call.k,
               scalar(call.alpha, precision),
               call.a,
               call.lda,
               call.b,
               call.ldb,
               scalar(call.beta, precision),
               call.c,
               call.ldc};
  return to_row_major(gemm);
}

// What is left to the next definition must be as the caller gave it.
[[noreturn]] void end_because_half_done(const char* why) {
  std::fprintf(stderr, "duoblas: a product cannot be finished: %s\n", why);
  std::abort();
}

void compute(Engine& engine, const GemmProblem& problem) {
  try {
    engine.run(problem);
  } catch (const std::exception& error) {
    end_because_half_done(error.what());
  }
}

bool gemm_with_gpu(Engine& engine, const duoblas_level3_call& call) {
  const GemmProblem problem = gemm_problem(call);
  const Plan plan = engine.plan(problem);
  if (plan.strategy == Strategy::cpu) return false;
  engine.cpu().prepare(plan.cpu);  // \throws while nothing is written yet
  compute(engine, problem);
  return true;
}

bool is_supported(int routine) {
  return routine == DUOBLAS_GEMM;
}

bool done_with_gpu(Engine& engine, const duoblas_level3_call& call) {
  return is_supported(call.routine) && gemm_with_gpu(engine, call);
}

void note_least_gpu_flops() {
  for (int routine = 0; routine < DUOBLAS_ROUTINES; ++routine)
    for (const Precision precision : all_precisions)
      set_smallest_flops(routine, precision, is_supported(routine) ? smallest_gpu_flops : never);
}

// Once the device and its profile are known: from which sizes on they are of use. The CPU's part is
// loaded here too, which takes as long as a large product; without it there is no product.
void make_ready(Engine& engine) {
  bool useful = false;
  try {
    for (const Precision precision : all_precisions) {
      if (engine.least_gpu_flops(precision) == never) continue;
      engine.cpu().prepare(engine.machine().cpu_for(precision));
      useful = true;
    }
  } catch (const Error&) {
    useful = false;
  }
  for (int routine = 0; routine < DUOBLAS_ROUTINES; ++routine)
    for (const Precision precision : all_precisions)
      set_smallest_flops(
          routine, precision,
          useful && is_supported(routine) ? engine.least_gpu_flops(precision) : never);
}

Engine& engine() {
  return ContextEngine::of(Context::process_default());
}

// Wrong settings are the user's to hear of, whatever else is silent: nothing else can tell.
void say_once(const char* what) {
  static constinit std::atomic_flag said;
  if (!said.test_and_set()) std::fprintf(stderr, "duoblas: the CPU does every product: %s\n", what);
}

int run(const duoblas_level3_call* call) noexcept {
  if (fork_generation() != 0 || inside_cpu_blas()) return 0;
  try {
    Engine& e = engine();
    if (!is_forced(e.settings()) && !opened_in_background(e, make_ready)) return 0;
    return done_with_gpu(e, *call) ? 1 : 0;
  } catch (const std::exception& error) {
    say_once(error.what());
  }
  return 0;
}

int run_anywhere(const duoblas_level3_call* call) noexcept {
  if (call->routine != DUOBLAS_GEMM || inside_cpu_blas()) return 0;
  try {
    const GemmProblem problem = gemm_problem(*call);
    engine().cpu().prepare(engine().plan(problem).cpu);
    compute(engine(), problem);
    return 1;
  } catch (const std::exception& error) {
    say_once(error.what());
  }
  return 0;
}

constinit const struct duoblas_dropin_engine table = {1, run, smallest_flops, run_anywhere};

}  // namespace
}  // namespace duoblas

extern "C" DUOBLAS_API const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void) {
  duoblas::note_least_gpu_flops();
  return &duoblas::table;
}

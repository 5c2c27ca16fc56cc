#include "dropin/engine/call_limits.hpp"

#include <atomic>

#include "dropin/engine/call_counts.hpp"
#include "dropin/engine/program_call.hpp"
#include "level3/blocked_level3.hpp"
#include "planner/forecast.hpp"
#include "problem/halving.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {

constinit double call_limits[DUOBLAS_ROUTINES][precision_count] = {};

namespace {

// Set where every call is left to the program for a reason that the engine does not know.
constinit std::atomic<int> why_nothing{-1};

// Counted whenever what is known of a device changes.
constinit std::atomic<unsigned> findings{0};

// In one order with findings, for limit_streams().
void set_limit(int routine, Precision precision, double flops) noexcept {
  std::atomic_ref(call_limits[routine][precision_index(precision)]).store(flops);
}

template <typename Flops>
void set_limits(Flops&& of) {
  for (int routine = 0; routine < DUOBLAS_ROUTINES; ++routine)
    for (const Precision precision : all_precisions)
      set_limit(routine, precision, of(routine, precision));
}

// The flops of a call that reads matrices of so many bytes, each element once.
double flops_of_bytes(double bytes, Precision precision) {
  const double of_element = is_complex(precision) ? 8 : 2;
  return of_element * bytes / static_cast<double>(element_size(precision));
}

double limit_of_streams(const Engine& engine, Precision precision) {
  if (why_nothing.load() >= 0) return endless;
  return flops_of_bytes(engine.plans().smallest_bytes(precision), precision);
}

}  // namespace

double flops_to_open(int routine, Precision precision) {
  if (is_stream(routine)) return flops_of_bytes(DUOBLAS_SMALLEST_GPU_BYTES, precision);
  if (routine == DUOBLAS_GEMM) return DUOBLAS_SMALLEST_GPU_FLOPS;
  if (is_lapack(routine)) return lapack_flops_per_product * DUOBLAS_SMALLEST_GPU_FLOPS;
  return DUOBLAS_SMALLEST_GPU_FLOPS / largest_product_share(routine_of(routine));
}

void look_for_device_from_there_on() noexcept {
  set_limits(flops_to_open);
}

void limit_calls(Engine& engine, bool useful) {
  findings.fetch_add(1);
  set_limits([&](int routine, Precision precision) {
    if (is_stream(routine)) return limit_of_streams(engine, precision);
    if (!useful) return endless;
    if (is_lapack(routine)) return smallest_lapack_flops(engine, precision);
    return routine == DUOBLAS_GEMM ? engine.plans().smallest_gemm_flops(precision)
                                   : smallest_flops(engine, routine_of(routine), precision);
  });
}

// Another thread may find a device meanwhile, and what it says is newer.
void limit_streams(Engine& engine) {
  unsigned before = 0;
  do {
    before = findings.load();
    for (int routine = 0; routine < DUOBLAS_ROUTINES; ++routine)
      for (const Precision precision : all_precisions)
        if (is_stream(routine)) set_limit(routine, precision, limit_of_streams(engine, precision));
  } while (findings.load() != before);
}

void leave_everything(Reason reason) noexcept {
  why_nothing.store(static_cast<int>(reason));
  findings.fetch_add(1);
  set_limits([](int, Precision) { return endless; });
}

Reason why_below_limit(const duoblas_blas_call& call, Engine& (*engine)()) {
  const auto precision = static_cast<Precision>(call.precision);
  if (flops(call) < flops_to_open(call.routine, precision)) return Reason::too_small;
  if (const int known = why_nothing.load(std::memory_order_relaxed); known >= 0)
    return static_cast<Reason>(known);
  if (is_stream(call.routine))
    return engine().plans().why_never_stream(precision).value_or(Reason::too_small);
  return engine().plans().why_never_gpu(precision).value_or(Reason::below_crossover);
}

}  // namespace duoblas

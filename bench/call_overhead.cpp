// What a small call costs: the CPU BLAS as the engine's CPU side has it, the engine around it, and
// the C interface around that. The difference of two rows is the price of a layer.
#include <benchmark/benchmark.h>

#include <duoblas/duoblas.h>

#include "bench/bench_engine.hpp"

namespace {

using namespace duoblas;

void cpu_side(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(Precision::s, Op::none, Op::none, n, n, n), 1);
  const GemmProblem p = problem.problem();
  const Plan plan = bench_engine().plan(p);
  bench_engine().cpu().run(p, plan.cpu);
  for (auto _ : state) bench_engine().cpu().run(p, plan.cpu);
}

void engine_run(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(Precision::s, Op::none, Op::none, n, n, n), 1);
  const GemmProblem p = problem.problem();
  bench_engine().run(p);
  for (auto _ : state) bench_engine().run(p);
}

void c_interface(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(Precision::s, Op::none, Op::none, n, n, n), 1);
  const GemmProblem p = problem.problem();
  const auto call = [&] {
    return duoblas_sgemm(DUOBLAS_ROW_MAJOR, DUOBLAS_NO_TRANS, DUOBLAS_NO_TRANS, n, n, n, 1.0f,
                         static_cast<const float*>(p.a), p.lda, static_cast<const float*>(p.b),
                         p.ldb, 0.0f, static_cast<float*>(p.c), p.ldc);
  };
  for (auto _ : state) {
    if (call() != DUOBLAS_OK) {
      state.SkipWithError(duoblas_last_error());
      break;
    }
  }
}

BENCHMARK(cpu_side)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();
BENCHMARK(engine_run)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();
BENCHMARK(c_interface)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();

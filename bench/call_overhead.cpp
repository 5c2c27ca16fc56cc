// The cost of a small call in each layer: the CPU BLAS as the engine's CPU side calls it, the
// engine around it, and the C interface around that. The difference of two rows is the cost of a
// layer. Also the time to decide a call that is like those before it, and calls of many sizes in
// turns.
#include <benchmark/benchmark.h>

#include <vector>

#include <duoblas/duoblas.h>

#include "bench/bench_engine.hpp"

namespace {

using namespace duoblas;

void cpu_side(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(Precision::s, Op::none, Op::none, n, n, n), 1);
  const GemmProblem p = problem.problem();
  const Plan plan = bench_engine().plans().of(p);
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

GemmProblem product(std::int64_t n) {
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  return p;
}

// After some calls the engine knows which side is faster, and tries the other no more for now. A
// try that is due is made by the next call, so nothing is timed while one is.
void decide_known(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(Precision::d, Op::none, Op::none, n, n, n), 1);
  const auto is_settled = [&] {
    const Plan plan = bench_engine().decide(problem.problem()).plan;
    return plan.forecast && plan.forecast->is_settled;
  };
  constexpr int least = 60, most = 200;
  for (int call = 0; call < least || (call < most && !is_settled()); ++call)
    bench_engine().run(problem.problem());
  if (!is_settled()) return state.SkipWithError("who is faster is not known after 200 calls");
  for (auto _ : state) benchmark::DoNotOptimize(bench_engine().decide(problem.problem()));
}

void decide_in_turns(benchmark::State& state) {
  std::vector<GemmProblem> problems;
  for (std::int64_t n = 300; n < 1300; ++n) problems.push_back(product(n));
  std::size_t at = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(bench_engine().decide(problems[at++ % problems.size()]));
}

BENCHMARK(decide_known)->Arg(512)->Arg(1024);
BENCHMARK(decide_in_turns);
BENCHMARK(cpu_side)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();
BENCHMARK(engine_run)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();
BENCHMARK(c_interface)->RangeMultiplier(2)->Range(1, 256)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();

// CPU-only, GPU-only and hybrid over square sizes, in single and double precision.
//
//   DUOBLAS_STANDIN=1 bench_strategies --benchmark_filter='sgemm/hybrid'
//
// Rows of one size are not interleaved. So use `duoblas bench` to compare strategies, and this
// program to see one strategy over many sizes.
#include <string>

#include "bench/bench_engine.hpp"
#include "tuner/strategy_plan.hpp"

namespace {

using namespace duoblas;

void strategy_over_sizes(benchmark::State& state, Precision precision,
                         const std::string& strategy) {
  if (uses_gpu(strategy) && skip_without_gpu(state)) return;
  const std::int64_t n = state.range(0);
  MeasuredProblem problem(row_major_call(precision, Op::none, Op::none, n, n, n), 1);
  time_plan(state, problem,
            strategy_plan(strategy, problem.problem(), bench_engine().machine(),
                          bench_point(problem.problem())));
}

void register_all() {
  for (const Precision precision : {Precision::s, Precision::d}) {
    for (const std::string& strategy : strategy_names()) {
      const std::string name = std::string(1, letter(precision)) + "gemm/" + strategy;
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=](benchmark::State& state) { strategy_over_sizes(state, precision, strategy); })
          ->RangeMultiplier(2)
          ->Range(64, 2048)
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return duoblas::run_registered(argc, argv, register_all);
}

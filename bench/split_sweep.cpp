// The split curve: the whole call's time at every p_g of P = 16, from CPU-only to GPU-only.
//
//   DUOBLAS_STANDIN=1 bench_split_sweep --benchmark_filter='dgemm/2048'
#include <string>

#include "bench/bench_engine.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "tuner/strategy_plan.hpp"

namespace {

using namespace duoblas;

constexpr int kParts = 16;

void one_split(benchmark::State& state, Precision precision, std::int64_t n) {
  if (skip_without_gpu(state)) return;
  MeasuredProblem problem(row_major_call(precision, Op::none, Op::none, n, n, n), 1);
  Plan plan = strategy_plan("hybrid", problem.problem(), bench_engine().machine(),
                            bench_point(problem.problem()));
  plan.strategy = Strategy::hybrid;
  plan.axis = Axis::rows;
  plan.share = {static_cast<int>(state.range(0)), kParts};
  plan.gpu_extent = gpu_extent(n, plan.share, row_tile(plan.kernel));
  time_plan(state, problem, plan);
}

void register_all() {
  for (const Precision precision : {Precision::s, Precision::d}) {
    for (const std::int64_t n : {512, 1024, 2048}) {
      const std::string name = std::string(1, letter(precision)) + "gemm/" + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { one_split(state, precision, n); })
          ->DenseRange(0, kParts)
          ->ArgName("p_g")
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return duoblas::run_registered(argc, argv, register_all);
}

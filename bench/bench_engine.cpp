#include "bench/bench_engine.hpp"

namespace duoblas {

Engine& bench_engine() {
  // Never destroyed: drivers may crash when they are used after main().
  static Engine& engine = *new Engine(Settings::from_environment());
  return engine;
}

const TunedPoint* bench_point(const GemmProblem& problem) {
  const auto& profile = bench_engine().machine().tuned(problem.precision).profile;
  return profile ? nearest_point(*profile, problem) : nullptr;
}

void time_plan(benchmark::State& state, const MeasuredProblem& problem, const Plan& plan) {
  Engine& engine = bench_engine();
  // The first call compiles the kernel and loads the CPU BLAS.
  if (engine.run(problem.problem(), plan).recovered) {
    state.SkipWithError("the GPU failed and the CPU did its part");
    return;
  }
  for (auto _ : state) {
    const Outcome report = engine.run(problem.problem(), plan);
    if (report.recovered) {
      state.SkipWithError("the GPU failed and the CPU did its part");
      break;
    }
  }
  state.counters["GFLOPS"] = benchmark::Counter(flops(problem.problem()) * 1e-9,
                                                benchmark::Counter::kIsIterationInvariantRate);
  state.counters["gpu_extent"] = static_cast<double>(plan.gpu_extent);
}

bool skip_without_gpu(benchmark::State& state) {
  if (bench_engine().gpu() != nullptr) return false;
  state.SkipWithError(("no device: " + bench_engine().facts().gpu_problem() +
                       " (DUOBLAS_STANDIN=1 lets PoCL stand in for a GPU)")
                          .c_str());
  return true;
}

int run_registered(int argc, char** argv, void (*register_all)()) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace duoblas

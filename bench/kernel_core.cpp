// The panel kernel, packing included, and the CPU BLAS on as many cores, in turns.
//
//   bench_kernel_core --cores 2 --benchmark_filter='sgemm/nn/1024'
//
// PoCL makes a device of that many cores (default: 1). The counters are medians over the turns: the
// kernel's GFLOPS, the CPU BLAS's, and their ratio within a turn, in which drift of the clock
// cancels. No tile and no vector divides the sizes 1000, 1023 and 2047.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "cpu/cpu_side.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_description.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/measured_problem.hpp"

namespace {

using namespace duoblas;

GpuSide* cpu_device() {
  static const std::unique_ptr<GpuSide> side = []() -> std::unique_ptr<GpuSide> {
    for (const cl::Device& device : cl::list_devices())
      if (device.info.is_cpu)
        return std::make_unique<GpuSide>(device,
                                         GpuFolders{"", Settings::from_environment().kernel_dir});
    return nullptr;
  }();
  return side.get();
}

// The core types worth trying here: OpenBLAS's own choice is sometimes an old processor's.
CpuConfig best_config(CpuSide& cpu, const GemmProblem& problem, int cores) {
  std::vector<std::string> core_types = {""};
  if (__builtin_cpu_supports("avx2")) core_types.emplace_back("HASWELL");
  if (__builtin_cpu_supports("avx512f")) core_types.emplace_back("SKYLAKEX");
  CpuConfig best;
  double least = 0;
  for (const std::string& core_type : core_types) {
    CpuConfig config = cpu.all_cores(core_type);
    config.threads = cores;
    cpu.run(problem, config);
    double time = seconds_of([&] { cpu.run(problem, config); });
    for (int again = 0; again < 2; ++again)
      time = std::min(time, seconds_of([&] { cpu.run(problem, config); }));
    if (least == 0 || time < least) {
      least = time;
      best = config;
    }
  }
  return best;
}

void kernel_against_blas(benchmark::State& state, Precision precision, Op op_a, Op op_b,
                         int cores) {
  GpuSide* device = cpu_device();
  if (device == nullptr) return state.SkipWithError("no OpenCL CPU device: install PoCL");
  CpuSide cpu(cpu_limits("", 0), "");
  const std::int64_t n = state.range(0);
  const MeasuredProblem of_kernel(row_major_call(precision, op_a, op_b, n, n, n), 1);
  const MeasuredProblem of_blas(row_major_call(precision, op_a, op_b, n, n, n), 1);
  const KernelParams kernel = default_kernel(precision, device->limits());
  const CpuConfig config = best_config(cpu, of_blas.problem(), cores);

  const auto run_kernel = [&] {
    device->submit(of_kernel.problem(), kernel, device->best_sharing()).wait();
  };
  run_kernel();
  std::vector<double> kernel_times, blas_times, ratios;
  for (auto _ : state) {
    blas_times.push_back(seconds_of([&] { cpu.run(of_blas.problem(), config); }));
    kernel_times.push_back(seconds_of(run_kernel));
    ratios.push_back(blas_times.back() / kernel_times.back());
    state.SetIterationTime(kernel_times.back());
  }
  const double giga = flops(of_kernel.problem()) * 1e-9;
  state.counters["gflops"] = giga / upper_median(kernel_times);
  state.counters["blas_gflops"] = giga / upper_median(blas_times);
  state.counters["share_of_blas"] = upper_median(ratios);
  state.SetLabel(describe(kernel) + " against " + cpu.description(config));
}

void register_all(int cores) {
  struct Ops {
    const char* name;
    Op a, b;
  };
  constexpr Op n = Op::none, t = Op::transpose;
  for (const Ops ops : {Ops{"nn", n, n}, Ops{"nt", n, t}, Ops{"tn", t, n}, Ops{"tt", t, t}}) {
    for (const Precision precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
      const std::string name = std::string(1, letter(precision)) + "gemm/" + ops.name;
      auto* added = benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        kernel_against_blas(state, precision, ops.a, ops.b, cores);
      });
      added->UseManualTime()->Unit(benchmark::kMillisecond)->Arg(512)->Arg(1024)->Arg(2048);
      if (!is_complex(precision)) added->Arg(1000)->Arg(1023)->Arg(2047);
    }
  }
}

// Takes `--cores N` out of the arguments. 0: it is not a number of cores.
int cores_of(int& argc, char** argv) {
  int cores = 1;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--cores") != 0) continue;
    cores = std::max(0, std::atoi(argv[i + 1]));
    std::copy(argv + i + 2, argv + argc, argv + i);
    argc -= 2;
    break;
  }
  return cores;
}

}  // namespace

int main(int argc, char** argv) {
  const int cores = cores_of(argc, argv);
  if (cores == 0) return 2;
  setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(cores).c_str(), 1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all(cores);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// Does work begin without a flush, and does the GPU work while the CPU does?
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "cli/selftest/section.hpp"
#include "cli/selftest/small_kernel.hpp"
#include "cli/text_table.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "planner/planner.hpp"
#include "timing/median.hpp"
#include "tuner/measured_problem.hpp"

namespace duoblas::cli::selftest {
namespace {

// Waits for nothing but time, so that no call of ours makes the driver begin.
Finding without_a_flush(SmallKernel& small) {
  const cl::Range range{{SmallKernel::items, 1}, {16, 1}};
  small.queue.wait(small.queue.submit(small.kernel, range));  // some compile at the first launch
  const cl::Event work = small.queue.enqueue(small.kernel, range);
  const cl::Event end = small.queue.mark();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const bool began = small.queue.has_ended(end);
  small.queue.flush();
  const double waited = seconds_of([&] { small.queue.wait(end); });
  small.queue.check_ended(work);
  return told(began ? "work begins without a flush" : "work waits for a flush",
              {{"begins_without_a_flush", began}, {"seconds_after_the_flush", waited}});
}

class Overlap {
 public:
  Overlap(SectionRun& run, Engine& engine, std::int64_t gpu_n, std::int64_t cpu_n)
      : run_(run),
        engine_(engine),
        kernel_(default_kernel(Precision::s, engine.gpu()->limits())),
        gpu_(row_major_call(Precision::s, Op::none, Op::none, gpu_n, gpu_n, gpu_n), 1),
        cpu_(row_major_call(Precision::s, Op::none, Op::none, cpu_n, cpu_n, cpu_n), 2) {}

  double gpu_seconds() {
    return told(seconds_of([&] { submit().wait(); }));
  }
  double cpu_seconds() {
    return told(seconds_of([&] { compute(); }));
  }
  double both_seconds() {
    return told(seconds_of([&] {
      GpuJob job = submit();
      compute();
      job.wait();
    }));
  }

 private:
  double told(double seconds) {
    run_.progress();
    return seconds;
  }
  GpuJob submit() {
    return engine_.gpu()->submit(gpu_.problem(), kernel_, engine_.gpu()->best_sharing());
  }
  void compute() { engine_.cpu().run(cpu_.problem(), engine_.machine().cpu_for(Precision::s)); }

  SectionRun& run_;
  Engine& engine_;
  const KernelParams kernel_;
  MeasuredProblem gpu_, cpu_;
};

// The size whose product takes a side long enough to be measured beside the other's.
template <typename Seconds>
std::int64_t size_for(double wanted, Seconds&& seconds) {
  std::int64_t n = 128;
  while (n < 4096 && seconds(n) < wanted) n *= 2;
  return n;
}

Finding measured(SectionRun& run, Engine& engine) {
  const bool quick = run.quick();
  const double wanted = quick ? 0.01 : 0.08;
  const auto best = [](auto&& seconds) {
    seconds();
    return std::min(seconds(), seconds());
  };
  const std::int64_t gpu_n = size_for(wanted, [&](std::int64_t n) {
    Overlap pair(run, engine, n, 128);
    return best([&] { return pair.gpu_seconds(); });
  });
  const std::int64_t cpu_n = size_for(wanted, [&](std::int64_t n) {
    Overlap pair(run, engine, 128, n);
    return best([&] { return pair.cpu_seconds(); });
  });
  Overlap pair(run, engine, gpu_n, cpu_n);
  std::vector<double> gpu_alone, cpu_alone, at_once;
  for (int round = 0; round < (quick ? 3 : 7); ++round) {
    gpu_alone.push_back(pair.gpu_seconds());
    cpu_alone.push_back(pair.cpu_seconds());
    at_once.push_back(pair.both_seconds());
  }
  const double gpu = median(gpu_alone), cpu = median(cpu_alone), both = median(at_once);
  const double ratio = (gpu + cpu - both) / std::min(gpu, cpu);
  return told("GPU " + duration(gpu) + ", CPU " + duration(cpu) + ", both at once " +
                  duration(both) + ": overlap " + fixed(ratio, 2) + " (1: whole, 0: none)",
              {{"gpu_seconds", gpu},
               {"cpu_seconds", cpu},
               {"both_seconds", both},
               {"overlap", ratio},
               {"gpu_size", gpu_n},
               {"cpu_size", cpu_n}});
}

}  // namespace

void test_overlap(SectionRun& run) {
  Engine engine(run.settings());
  GpuSide* gpu = run.gpu_of(engine);
  if (gpu == nullptr) return;
  run.step("flush", [&] {
    SmallKernel small(gpu->info());
    return without_a_flush(small);
  });
  run.step("overlap", [&] { return measured(run, engine); });
}

}  // namespace duoblas::cli::selftest

// How long a launch, a map, a copy and products take here: medians.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/selftest/section.hpp"
#include "cli/selftest/small_kernel.hpp"
#include "cli/text_table.hpp"
#include "cli/tuned_rates.hpp"
#include "memory/host_memory.hpp"
#include "opencl/mapping.hpp"
#include "timing/median.hpp"
#include "tuner/measure.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas::cli::selftest {
namespace {

template <typename Work>
double median_seconds(int times, Work&& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(work));
  return median(seconds);
}

Finding launches(SmallKernel& small, bool quick) {
  const double seconds = median_seconds(quick ? 30 : 300, [&] {
    small.queue.wait(small.queue.submit(small.kernel, {{SmallKernel::items, 1}, {16, 1}}));
  });
  return told("a launch and its wait take " + duration(seconds), {{"seconds", seconds}});
}

Finding transfers(SmallKernel& small, bool quick) {
  const std::size_t size = std::size_t{quick ? 4u : 64u} << 20;
  const int times = quick ? 3 : 9;
  const std::unique_ptr<void, decltype(&free_host)> host(allocate_host(size), &free_host);
  if (!host) throw std::bad_alloc();
  std::memset(host.get(), 0, size);
  const cl::Buffer device = small.context.allocate(size, cl::Access::read_write);
  const cl::RectCopy whole{1, size, size, size, 0};
  const double up =
      median_seconds(times, [&] { small.queue.write(device, host.get(), whole, true); });
  const double down = median_seconds(times, [&] { small.queue.read(device, host.get(), whole); });
  const cl::Buffer wrapped = small.context.wrap(host.get(), size, cl::Access::read_write);
  const double map = median_seconds(times, [&] {
    { const cl::Mapping mapping(small.queue, wrapped, cl::Access::read_write, size); }
    small.queue.finish();
  });
  const auto rate = [&](double seconds) { return static_cast<double>(size) / seconds / 1e9; };
  return told("copies " + fixed(rate(up), 1) + " GB/s up, " + fixed(rate(down), 1) +
                  " GB/s down; to map and unmap " + bytes(size) + " takes " + duration(map),
              {{"bytes", size}, {"up_seconds", up}, {"down_seconds", down}, {"map_seconds", map}});
}

struct Rates {
  double gpu = 0, cpu = 0, both = 0;  // seconds
  Share share;
};

// The share that balances both sides as they were alone, where nothing was tuned.
Rates rates(SectionRun& run, Engine& engine, Precision precision, std::int64_t n, int rounds) {
  const MeasuredProblem measured(row_major_call(precision, Op::none, Op::none, n, n, n), 1);
  const GemmProblem& problem = measured.problem();
  const PlanMachine& machine = engine.machine();
  const ProfileInUse& known = machine.tuned(precision);
  const TunedPoint* point = known.profile ? nearest_point(*known.profile, problem) : nullptr;
  const auto alone = [&](const std::string& strategy) {
    return strategy_plan(strategy, problem, machine, point);
  };
  MeasureRules rules;
  rules.min_rounds = rules.max_rounds = rounds;
  const auto candidate = [&](const Plan& plan) -> TimedCandidate {
    return [&run, &engine, &problem, plan] {
      run.progress();
      return timed_run(engine, problem, plan);
    };
  };
  const auto sides =
      measure_interleaved({candidate(alone("gpu")), candidate(alone("cpu_all"))}, rules);
  if (sides[0].failed) throw DeviceError("the GPU failed, and the CPU did its part");
  Rates found{sides[0].median, sides[1].median, 0, {}};
  TunedChoice choice = untuned_choice(precision, machine);
  if (known.is_tuned() && point != nullptr)
    choice = point->hybrid;
  else
    choice.share = {static_cast<int>(64 * found.cpu / (found.cpu + found.gpu) + 0.5), 64};
  const auto both = measure_interleaved(
      {candidate(plan_choice(problem, machine, choice, Reason::as_told))}, rules);
  if (both[0].failed) throw DeviceError("the GPU failed beside the CPU");
  found.both = both[0].median;
  found.share = choice.share;
  return found;
}

Finding products(SectionRun& run, Engine& engine, Precision precision) {
  const bool quick = run.quick();
  std::int64_t n = 256;
  Rates found = rates(run, engine, precision, n, quick ? 3 : 5);
  const double long_enough = quick ? 0.005 : 0.15;
  while (n < 4096 && std::min(found.gpu, found.cpu) < long_enough &&
         std::max(found.gpu, found.cpu) < 0.5 && !run.takes_too_long()) {
    n *= 2;
    found = rates(run, engine, precision, n, quick ? 3 : 5);
  }
  const double flops =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const auto gflops = [&](double seconds) { return flops / seconds / 1e9; };
  const bool tuned = engine.machine().tuned(precision).is_tuned();
  return told("n = " + std::to_string(n) + ": GPU " + fixed(gflops(found.gpu), 1) + ", CPU " +
                  fixed(gflops(found.cpu), 1) + ", both " + fixed(gflops(found.both), 1) +
                  " GFLOPS (share " + share_text(found.share) + ", " +
                  (tuned ? "tuned" : "not tuned") + ")",
              {{"size", n},
               {"larger_left_out", run.takes_too_long()},
               {"gpu_gflops", gflops(found.gpu)},
               {"cpu_gflops", gflops(found.cpu)},
               {"both_gflops", gflops(found.both)},
               {"share", found.share.fraction()},
               {"tuned", tuned}});
}

}  // namespace

void take_timings(SectionRun& run) {
  Engine engine(run.settings());
  GpuSide* gpu = run.gpu_of(engine);
  if (gpu == nullptr) return;
  SmallKernel small(gpu->info());
  run.step("launch", [&] { return launches(small, run.quick()); });
  run.step("transfers", [&] { return transfers(small, run.quick()); });
  for (const Precision precision : {Precision::s, Precision::d}) {
    if (!engine.machine().device.multiplies(precision)) continue;
    run.step(std::string(1, letter(precision)) + "gemm",
             [&] { return products(run, engine, precision); });
  }
}

}  // namespace duoblas::cli::selftest

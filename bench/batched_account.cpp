#include "bench/batched_account.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "cpu/workers.hpp"
#include "engine/hybrid_batch.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

struct Sample {
  double products, seconds;
};

// Least squares of the relative error, so that short and long calls have the same weight.
struct Line {
  double of_call = 0, of_product = 0;

  explicit Line(const std::vector<Sample>& samples) {
    double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Sample& s : samples) {
      const double weight = 1 / (s.seconds * s.seconds);
      weights += weight;
      x += weight * s.products;
      y += weight * s.seconds;
      xx += weight * s.products * s.products;
      xy += weight * s.products * s.seconds;
    }
    of_product = (weights * xy - x * y) / (weights * xx - x * x);
    of_call = (y - of_product * x) / weights;
  }
  double at(double products) const { return of_call + of_product * products; }
  void print(const char* name) const {
    std::printf("  %-9s %8.3f ms a call, %8.3f us a product\n", name, of_call * 1e3,
                of_product * 1e6);
  }
};

double median_of(int rounds, const std::function<double()>& seconds) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) times.push_back(seconds());
  return upper_median(times);
}

double timed(const std::function<void()>& run) {
  const Stopwatch watch;
  run();
  return watch.seconds();
}

BatchProblem first_products(const BatchProblem& batch, std::int64_t count) {
  return {batch.precision, {batch.groups.front().part(0, count)}};
}

}  // namespace

void account_of_batch(Engine& engine, const BatchProblem& batch, int rounds) {
  GpuSide& gpu = *engine.gpu();
  CpuSide& cpu = engine.cpu();
  const SharingMode sharing = engine.machine().sharing;
  const CpuConfig side = engine.machine().cpu_for(batch.precision);
  const int threads =
      side.threads > 0 ? side.threads : std::max(1, static_cast<int>(side.cores.size()));
  std::printf("  products   cpu side   gpu (submit)   both on halves, ms\n");
  std::vector<Sample> of_cpu, of_gpu, of_both;
  for (int part = 8; part >= 1; part /= 2) {
    const BatchProblem some = first_products(batch, batch.count() / part);
    const auto count = static_cast<double>(some.count());
    const PartitionedBatch halves = partition(some, {some.count() / 2, 0});
    std::vector<double> on_cpu, on_gpu, submits, together;
    for (int round = 0; round < rounds; ++round) {
      on_cpu.push_back(timed([&] { cpu.run(some, side); }));
      const Stopwatch watch;
      BatchJob job = gpu.submit(some, BatchSharing{sharing, nullptr});
      submits.push_back(watch.seconds());
      job.wait();
      on_gpu.push_back(watch.seconds());
      together.push_back(timed([&] { hybrid_batch(gpu, cpu, halves, sharing, side); }));
    }
    of_cpu.push_back({count, upper_median(on_cpu)});
    of_gpu.push_back({count, upper_median(on_gpu)});
    of_both.push_back({count, upper_median(together)});
    std::printf("  %8.0f   %8.3f   %6.3f (%.3f)   %8.3f\n", count, of_cpu.back().seconds * 1e3,
                of_gpu.back().seconds * 1e3, upper_median(submits) * 1e3,
                of_both.back().seconds * 1e3);
  }
  const Line cpu_line(of_cpu), gpu_line(of_gpu);
  cpu_line.print("cpu side");
  gpu_line.print("gpu");
  Line(of_both).print("both");
  // The shortest time of both sides, if each keeps its own line while both work.
  const double all = of_cpu.back().products;
  const double rate = 1 / cpu_line.of_product + 1 / gpu_line.of_product;
  const double best =
      (all + cpu_line.of_call / cpu_line.of_product + gpu_line.of_call / gpu_line.of_product) /
      rate;
  const double sum = 1 / of_cpu.back().seconds + 1 / of_gpu.back().seconds;
  std::printf(
      "  by these lines both sides take %.3f ms at best, which is %.3f of their sum; halves: "
      "%.3f\n",
      best * 1e3, 1 / (best * sum), 1 / (of_both.back().seconds * sum));
  const double round_of_nothing = median_of(10 * rounds, [&] {
    return timed([&] {
      hand_out(
          8 * threads, [](std::int64_t) {}, threads);
    });
  });
  std::printf("  an empty round of %d threads: %.3f ms\n", threads, round_of_nothing * 1e3);
  std::fflush(stdout);
}

}  // namespace duoblas

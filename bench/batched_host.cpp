#include "bench/batched_host.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include <duoblas/buffer.hpp>

#include "cpu/workers.hpp"
#include "engine/batch_call.hpp"
#include "engine/engine.hpp"
#include "engine/guarded_job.hpp"
#include "problem/batch_problem.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

Settings with_strategy(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.split.reset();
  return settings;
}

// Calls before any counts: kernels are built, threads started, and shares follow.
constexpr int warming_calls = 30;

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

// What a call takes besides its products. Prints, of `batch` (one strided group) at an eighth to
// all of its products: seconds of the CPU side and of the GPU alone, the GPU's submit apart; a
// straight line through each side's times (what a call takes, and what a product takes); both sides
// on halves, and what the lines say of that; an empty round of the CPU side's threads. `engine` has
// a GPU, and nobody else uses it.
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
    BatchPlan halves;
    halves.plan.strategy = Strategy::hybrid;
    halves.plan.sharing = sharing;
    halves.plan.cpu = side;
    halves.partition = {some.count() / 2, 0};
    std::vector<double> on_cpu, on_gpu, submits, together;
    for (int round = 0; round < rounds; ++round) {
      on_cpu.push_back(timed([&] { cpu.run(some, side); }));
      const Stopwatch watch;
      BatchJob job = gpu.submit(some, BatchSharing{sharing, nullptr});
      submits.push_back(watch.seconds());
      job.wait();
      on_gpu.push_back(watch.seconds());
      Outcome told;
      told.plan = halves.plan;
      BatchCall call(some, halves.partition, halves.entry, told);
      together.push_back(timed([&] { on_both_sides(call, gpu, cpu); }));
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

}  // namespace

void compare_host_batches(const SquareBatch& square, int rounds, bool account) {
  const BatchOperandsOfPeer from(square);
  // As programs have that share their memory without copies.
  Buffer<char> a(from.a.size()), b(from.b.size()), c(from.c.size());
  std::copy(from.a.begin(), from.a.end(), a.data());
  std::copy(from.b.begin(), from.b.end(), b.data());
  std::copy(from.c.begin(), from.c.end(), c.data());
  const std::size_t element = element_size(square.precision);
  BatchGroup group;
  group.shape.precision = square.precision;
  group.shape.m = group.shape.n = group.shape.k = square.n;
  group.shape.lda = group.shape.ldb = group.shape.ldc = square.n;
  group.a = {a.data(), square.stride(), nullptr, element};
  group.b = {b.data(), square.stride(), nullptr, element};
  group.c = {c.data(), square.stride(), nullptr, element};
  group.count = square.count;
  const BatchProblem batch{square.precision, {group}};

  Engine cpu(with_strategy(Strategy::cpu)), gpu(with_strategy(Strategy::gpu)),
      both(with_strategy(Strategy::hybrid)), automatic(with_strategy(Strategy::automatic));
  if (both.gpu() == nullptr) {
    std::printf("no GPU: %s\n", both.facts().gpu_problem().c_str());
    return;
  }
  const CpuConfig side = both.machine().cpu_for(square.precision);
  Outcome last_both, last_automatic;
  const std::vector<std::pair<const char*, std::function<void()>>> variants = {
      {"cpu, all cores", [&] { cpu.run(batch); }},
      {"cpu side alone", [&] { both.cpu().run(batch, side); }},
      {"gpu alone", [&] { gpu.run(batch); }},
      {"both", [&] { last_both = both.run(batch); }},
      {"automatic", [&] { last_automatic = automatic.run(batch); }}};
  std::map<std::size_t, std::vector<double>> times;
  for (int call = 0; call < warming_calls; ++call)
    for (const auto& [name, run] : variants) run();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const Stopwatch watch;
      variants[i].second();
      times[i].push_back(watch.seconds());
    }
  std::vector<double> rates;
  for (std::size_t i = 0; i < variants.size(); ++i)
    rates.push_back(square.giga_flops() / upper_median(times[i]));
  const double sum = rates[1] + rates[2];
  for (std::size_t i = 0; i < variants.size(); ++i)
    std::printf("  %-15s %9.1f GFLOPS  %9.3f ms\n", variants[i].first, rates[i],
                upper_median(times[i]) * 1e3);
  std::printf(
      "  both: %.3f of the sum of the sides, gpu %ld of %ld products; automatic: %s, gpu %ld\n",
      rates[3] / sum, static_cast<long>(last_both.gpu_products), static_cast<long>(square.count),
      std::string(name(last_automatic.plan.strategy)).c_str(),
      static_cast<long>(last_automatic.gpu_products));
  std::fflush(stdout);
  if (account) account_of_batch(both, batch, rounds);
}

}  // namespace duoblas

#include "bench/batched_host.hpp"

#include <cstdio>
#include <functional>
#include <map>

#include <duoblas/buffer.hpp>

#include "bench/batched_account.hpp"
#include "engine/engine.hpp"
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
    std::printf("no GPU: %s\n", both.gpu_problem().c_str());
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

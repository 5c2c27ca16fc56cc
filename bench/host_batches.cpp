// Batches of a program's memory: each side by itself, both, and the library's choice.
#include <algorithm>
#include <iostream>

#include <duoblas/buffer.hpp>
#include <duoblas/error.hpp>

#include "bench/gemm_cases.hpp"
#include "engine/engine.hpp"
#include "problem/batch_problem.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

Engine& engine_with(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.split.reset();
  return *new Engine(settings);  // drivers outlive main badly
}

// As programs have that share their memory without copies.
class Matrices {
 public:
  Matrices(const std::vector<char>& from, const PeerProblem& square)
      : memory_(from.size()),
        stride_(square.n * square.n),
        element_(element_size(square.precision)) {
    std::copy(from.begin(), from.end(), memory_.data());
  }
  BatchOperand operand() { return {memory_.data(), stride_, nullptr, element_}; }

 private:
  Buffer<char> memory_;
  std::int64_t stride_;
  std::size_t element_;
};

}  // namespace

void compare_host_batches(const PeerProblem& square, int rounds) {
  const PeerOperands from(square);
  Matrices a(from.a, square), b(from.b, square), c(from.c, square);
  BatchGroup group;
  group.shape = as_gemm(square);
  group.a = a.operand();
  group.b = b.operand();
  group.c = c.operand();
  group.count = square.count;
  const BatchProblem batch{square.precision, {group}};

  static Engine &cpu = engine_with(Strategy::cpu), &gpu = engine_with(Strategy::gpu),
                &both = engine_with(Strategy::hybrid), &planned = engine_with(Strategy::automatic);
  if (both.gpu() == nullptr) throw DeviceError(both.facts().gpu_problem());
  const CpuConfig side = both.machine().cpu_for(square.precision);
  Outcome last_both, last_planned;
  const auto timed = [](auto call) { return [call] { return seconds_of(call); }; };
  const std::vector<Contender> ways = {
      {"cpu, all cores", timed([&] { cpu.run(batch); })},
      {"cpu side alone", timed([&, side] { both.cpu().run(batch, side); })},
      {"gpu alone", timed([&] { gpu.run(batch); })},
      {"both", timed([&] { last_both = both.run(batch); })},
      {"auto", timed([&] { last_planned = planned.run(batch); })}};
  // Shares follow what calls show.
  for (int call = 0; call < 30; ++call)
    for (const Contender& way : ways) way.seconds();
  const std::vector<Taken> taken = in_turns(ways, {rounds, rounds});
  const auto rate = [&](std::size_t i) { return square.giga_flops() / taken[i].median; };
  const Table table({{"", -15}, {"GFLOPS", 9}, {"ms", 9}, {"on the GPU", -1}});
  for (std::size_t i = 0; i < ways.size(); ++i)
    table.row(
        {ways[i].name, fixed(rate(i), 1), fixed(1e3 * taken[i].median, 3),
         i < 3 ? ""
               : std::to_string((i == 3 ? last_both : last_planned).gpu_products) + " products"});
  std::cout << "  both: " << fixed(rate(3) / (rate(1) + rate(2)), 3) << " of the sum of the sides\n"
            << std::flush;
}

}  // namespace duoblas

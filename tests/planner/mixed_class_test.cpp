// Programs whose calls of one class differ in speed more than their sizes tell: rows that start at
// other addresses, operands that are in a cache or not.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "planner/learning_machine.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::Disturbance;
using test::paper_problem;
using test::ProgramResult;
using test::SimulatedMachine;
using test::SimulatedProgram;

// Which calls are of the other shape.
struct Mixture {
  const char* name;
  bool (*is_other)(std::size_t call);
};

bool at_random(std::size_t call, double part) {
  std::minstd_rand random(static_cast<unsigned>(call + 1));
  random.discard(3);
  return static_cast<double>(random()) < part * static_cast<double>(std::minstd_rand::max());
}

const Mixture mixtures[] = {
    {"in turns", [](std::size_t call) { return call % 2 == 1; }},
    {"one of ten", [](std::size_t call) { return call % 10 == 9; }},
    {"nine of ten", [](std::size_t call) { return call % 10 != 9; }},
    {"four and four", [](std::size_t call) { return call / 4 % 2 == 1; }},
    {"twenty and twenty", [](std::size_t call) { return call / 20 % 2 == 1; }},
    {"at random", [](std::size_t call) { return at_random(call, 0.5); }},
    {"a fifth at random", [](std::size_t call) { return at_random(call, 0.2); }},
};

class TwoShapesOfAClass : public testing::TestWithParam<SimulatedMachine> {};

// One factor cannot be right for both shapes. A few programs use a side too often for a while
// (docs/design/limits.md).
constexpr double most_over_one = 1.2, clearly = 1.05, short_time = 0.02;
constexpr int most_clearly_over = 3;

TEST_P(TwoShapesOfAClass, CostLessInAllThanTheBetterSide) {
  double seconds = 0, better_side = 0;
  int clearly_over = 0;
  for (const Mixture& mixture : mixtures)
    for (const Disturbance other : {Disturbance{1, 2}, Disturbance{1, 0.5}, Disturbance{1, 4},
                                    Disturbance{1, 0.25}, Disturbance{2, 1}, Disturbance{0.5, 1}})
      for (const auto& [n, calls] : {std::pair(300, 2000), std::pair(1000, 400)}) {
        SCOPED_TRACE(std::string(mixture.name) + ", n " + std::to_string(n) + ", cpu " +
                     std::to_string(other.cpu) + ", gpu " + std::to_string(other.gpu));
        SimulatedProgram program;
        program.machine = GetParam();
        program.calls.assign(static_cast<std::size_t>(calls), paper_problem(Precision::d, n, n, n));
        program.disturbed = [&](std::size_t call) {
          return mixture.is_other(call) ? other : Disturbance{};
        };
        const ProgramResult r = run(program);
        EXPECT_LE(r.seconds, most_over_one * r.better_side());
        clearly_over += r.seconds > clearly * r.better_side() + short_time;
        seconds += r.seconds;
        better_side += r.better_side();
      }
  EXPECT_LT(seconds, better_side);
  EXPECT_LE(clearly_over, most_clearly_over);
}

INSTANTIATE_TEST_SUITE_P(OnSimulatedMachines, TwoShapesOfAClass,
                         testing::ValuesIn(test::simulated_machines()),
                         [](const auto& machine) { return test::test_name(machine.param); });

}  // namespace
}  // namespace duoblas

// Programs one of whose first calls was disturbed: a machine that paused, a core that was busy, a
// cache that was cold. That must not decide about later calls, nor about later processes.
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "planner/learning_machine.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::Disturbance;
using test::paper_problem;
using test::SimulatedMachine;
using test::SimulatedProgram;

struct Wanted {
  const char* name;
  PlanRequest request;
  bool untuned = false;
};

const PlanRequest want_hybrid{Strategy::hybrid, std::nullopt};
const Wanted automatic{"automatic", {}}, hybrid{"hybrid", want_hybrid},
    untuned{"untuned", want_hybrid, true};

SimulatedProgram program_of(const SimulatedMachine& machine, std::int64_t n, std::size_t calls,
                            const Wanted& of) {
  SimulatedProgram program;
  program.machine = machine;
  program.calls.assign(calls, paper_problem(Precision::d, n, n, n));
  program.wanted = of.request;
  program.untuned = of.untuned;
  return program;
}

double last_eighth(const std::vector<double>& each) {
  const auto late = static_cast<std::ptrdiff_t>(each.size() / 8);
  return std::accumulate(each.end() - late, each.end(), 0.0);
}

class OneDisturbedCall : public testing::TestWithParam<SimulatedMachine> {
 protected:
  // `times`: by which the call of one side is slower.
  void expect_recovery(const Wanted& of, std::int64_t n, std::size_t calls, double times) {
    constexpr std::size_t first_calls = 6;
    SimulatedProgram program = program_of(GetParam(), n, calls, of);
    const double undisturbed = last_eighth(run(program).each);
    for (std::size_t at = 0; at < first_calls; ++at)
      for (const Disturbance by : {Disturbance{times, 1}, {1, times}}) {
        SCOPED_TRACE(std::string(of.name) + ", n " + std::to_string(n) + ", call " +
                     std::to_string(at) + ", cpu " + std::to_string(by.cpu) + ", gpu " +
                     std::to_string(by.gpu));
        program.disturbed = [=](std::size_t call) { return call == at ? by : Disturbance{}; };
        EXPECT_LE(last_eighth(run(program).each), 1.03 * undisturbed);
      }
  }
};

TEST_P(OneDisturbedCall, DoesNotDecideAboutLaterOnes) {
  expect_recovery(automatic, 256, 2'000, 30);
  expect_recovery(hybrid, 256, 2'000, 1000);
  expect_recovery(hybrid, 1000, 2'000, 1000);
}

// Such an exploration leaves a second of debt, which a hundred seconds of calls pay.
TEST_P(OneDisturbedCall, OfAnExplorationDoesNotDecideOnceItIsPaidFor) {
  expect_recovery(automatic, 2000, 6'000, 1000);
}

// Without a profile nothing tells that a first time is too long.
TEST_P(OneDisturbedCall, OfAnUntunedMachineDoesNotDecideForGood) {
  expect_recovery(untuned, 256, 10'000, 30);
  expect_recovery(untuned, 1000, 2'000, 30);
}

// An earlier process was disturbed as long as it ran, and kept that. Its first call may have been
// the GPU's alone, which calls of both sides do not show again.
TEST_P(OneDisturbedCall, OfAnEarlierProcessDoesNotDecideAboutLaterOnes) {
  constexpr std::size_t calls = 4000, before = 12;
  for (const Wanted& of : {automatic, hybrid})
    for (const Wanted& earlier_of : {automatic, hybrid})
      for (const std::int64_t n : {256, 1000}) {
        SimulatedProgram program = program_of(GetParam(), n, calls, of);
        const double undisturbed = last_eighth(run(program).each);
        for (const Disturbance by : {Disturbance{10, 1}, {1, 10}}) {
          SCOPED_TRACE(std::string(of.name) + " after " + earlier_of.name + ", n " +
                       std::to_string(n) + ", cpu " + std::to_string(by.cpu) + ", gpu " +
                       std::to_string(by.gpu));
          SimulatedProgram earlier = program_of(GetParam(), n, before, earlier_of);
          earlier.disturbed = [=](std::size_t) { return by; };
          program.known = run(earlier).kept;
          EXPECT_LE(last_eighth(run(program).each), 1.06 * undisturbed);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(OnSimulatedMachines, OneDisturbedCall,
                         testing::ValuesIn(test::simulated_machines()),
                         [](const auto& machine) { return test::test_name(machine.param); });

}  // namespace
}  // namespace duoblas

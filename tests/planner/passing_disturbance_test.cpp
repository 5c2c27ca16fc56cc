// Programs whose better side was disturbed for a while: what that showed must not stand for good.
#include <iterator>
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
using test::ProgramResult;
using test::SimulatedProgram;

// In a NumPy program of dgemm of 256 on an H200's host (0.11 ms, 0.3 on the GPU) the CPU's calls
// were disturbed for some milliseconds, and the 3,185 calls after that stayed on the GPU.
SimulatedProgram disturbed_program(std::int64_t n, std::size_t calls, Disturbance by, double noise,
                                   unsigned seed) {
  SimulatedProgram program;
  program.machine = test::simulated_h200();
  program.machine.uneven = {};
  program.calls.assign(calls, paper_problem(Precision::d, n, n, n));
  program.disturbed = [=](std::size_t i) {
    return i >= calls / 4 && i < calls / 4 + 20 ? by : Disturbance{};
  };
  program.noise = noise;
  program.seed = seed;
  return program;
}

constexpr unsigned seeds = 8;

double later_half(const std::vector<double>& each) {
  return std::accumulate(each.begin() + std::ssize(each) / 2, each.end(), 0.0);
}

void expect_recovery(std::int64_t n, std::size_t calls, Disturbance by) {
  for (const double noise : {0.02, 0.1})
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE(std::to_string(noise) + ", " + std::to_string(seed));
      const ProgramResult r = run(disturbed_program(n, calls, by, noise, seed));
      EXPECT_LE(later_half(r.each), (1.03 + noise / 2) * later_half(r.best_of_each));
    }
}

TEST(APassingDisturbance, OfTheCpuDoesNotLeaveShortCallsToTheGpuForGood) {
  expect_recovery(256, 20'000, {10, 1});
}

TEST(APassingDisturbance, OfTheGpuDoesNotLeaveLongCallsToTheCpuForGood) {
  expect_recovery(1024, 4'000, {1, 30});
}

// Programs of a few calls, of which the first one ran beside another program's work.
void expect_recovery_of_later_processes(std::int64_t n, std::size_t calls, Disturbance by) {
  constexpr int processes = 60;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    SimulatedProgram program = disturbed_program(n, 4 * calls, by, 0.05, seed);
    program.disturbed = [=](std::size_t) { return by; };
    std::vector<unsigned char> kept = run(program).kept;
    double late = 0, best = 0;
    for (int process = 0; process < processes; ++process) {
      program = disturbed_program(n, calls, {}, 0.05, seed * 1000 + unsigned(process));
      program.known = kept;
      const ProgramResult r = run(program);
      kept = r.kept;
      if (2 * process < processes) continue;
      late += r.seconds;
      best += r.best_plans;
    }
    EXPECT_LE(late, 1.1 * best);
  }
}

TEST(APassingDisturbance, OfTheGpuDoesNotLeaveLaterProcessesToTheCpuForGood) {
  expect_recovery_of_later_processes(1024, 60, {1, 10});
}

TEST(APassingDisturbance, OfTheCpuDoesNotLeaveLaterProcessesToTheGpuForGood) {
  expect_recovery_of_later_processes(256, 200, {10, 1});
}

}  // namespace
}  // namespace duoblas

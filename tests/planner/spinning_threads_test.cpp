// Programs on an H200's host whose BLAS has threads that spin after its calls, beside which the GPU
// is slow: what is known of calls beside them must not decide for ever.
#include <gtest/gtest.h>

#include <numeric>

#include "planner/learning_machine.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::ProgramResult;
using test::SimulatedProgram;

// Twelve layers that are trained: 12 products, then 24 of two other shapes in turns, four times.
std::vector<GemmProblem> training() {
  const auto product = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return test::paper_problem(Precision::s, m, n, k);
  };
  std::vector<GemmProblem> calls;
  for (int step = 0; step < 4; ++step) {
    for (int layer = 0; layer < 12; ++layer) calls.push_back(product(1024, 2048, 2048));
    for (int layer = 0; layer < 12; ++layer) {
      calls.push_back(product(2048, 2048, 1024));
      calls.push_back(product(2048, 1024, 2048));
    }
  }
  return calls;
}

SimulatedProgram program_of(const std::vector<GemmProblem>& calls) {
  SimulatedProgram program;
  program.machine = test::simulated_h200();
  program.calls = calls;
  program.machine.cpu.peak_flops /= 2.5;
  program.spinning = 16;
  program.spinning_gpu = 4;
  program.pause = 12e-3;
  return program;
}

// For 0.13 s the GPU is slow.
constexpr double until_threads_sleep = 0.13;

TEST(BesideThreadsThatSpin, AProgramWhoseCallsAllGainGetsTheGpu) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    SCOPED_TRACE(seed);
    SimulatedProgram program = program_of(training());
    program.seed = seed;
    const ProgramResult first = run(program);
    EXPECT_LE(first.seconds, 1.06 * first.best_plans + until_threads_sleep + 0.05);
    program.known = first.kept;
    const ProgramResult second = run(program);
    EXPECT_LE(second.seconds, 1.06 * second.best_plans + until_threads_sleep);
  }
}

// The first calls of each shape find other kernels and cold memory.
TEST(BesideThreadsThatSpin, FirstCallsThatAreSlowerStillDoNotDecide) {
  for (const double first_calls : {2.0, 4.0, 10.0}) {
    SCOPED_TRACE(first_calls);
    SimulatedProgram program = program_of(training());
    program.first_calls = first_calls;
    const ProgramResult first = run(program);
    EXPECT_LE(first.seconds, 0.6 * first.cpu_alone);
    program.known = first.kept;
    const ProgramResult second = run(program);
    EXPECT_LE(second.seconds, 0.5 * second.cpu_alone);
  }
}

std::vector<GemmProblem> cubes(std::size_t count, std::int64_t n) {
  return std::vector<GemmProblem>(count, test::paper_problem(Precision::s, n, n, n));
}

// Beside the threads the GPU takes longer than the CPU, and no time after that would be seen if the
// CPU had every call.
TEST(BesideThreadsThatSpin, AGpuIsTriedThatIsSlowerBesideThemAlone) {
  for (const std::int64_t n : {768, 1024}) {
    SCOPED_TRACE(n);
    SimulatedProgram program = program_of(cubes(2000, n));
    program.pause = 1e-3;
    const ProgramResult first = run(program);
    EXPECT_LE(first.seconds, 1.1 * first.best_plans + 0.5);
    program.known = first.kept;
    const ProgramResult second = run(program);
    EXPECT_LE(second.seconds, 1.06 * second.best_plans + 2 * until_threads_sleep);
  }
}

// Calls that the CPU does faster come in between, so the threads never sleep.
TEST(BesideThreadsThatSpin, LittleIsLostWhereTheyNeverSleep) {
  for (const std::int64_t n : {768, 1024}) {
    SCOPED_TRACE(n);
    std::vector<GemmProblem> calls = cubes(4000, n);
    for (std::size_t i = 0; i < calls.size(); i += 2)
      calls[i] = test::paper_problem(Precision::s, 96, 96, 96);
    SimulatedProgram program = program_of(calls);
    program.pause = 1e-3;
    const ProgramResult first = run(program);
    EXPECT_LE(first.seconds, 1.02 * first.cpu_alone + 0.1);
    program.known = first.kept;
    const ProgramResult second = run(program);
    EXPECT_LE(second.seconds, 1.02 * second.cpu_alone + 0.1);
  }
}

// Each product comes when some threads may sleep, so no time is surely that of either.
TEST(BesideThreadsThatSpin, AGpuThatIsSlowerThanPromisedIsFoundOutInAnyPause) {
  for (const double pause : {0.06, 0.08, 0.12}) {
    SCOPED_TRACE(pause);
    SimulatedProgram program = program_of(cubes(200, 768));
    program.machine.gpu.peak_flops /= 10;
    program.machine.gpu.launch_seconds *= 10;
    program.promise = 0.1;
    program.pause = pause;
    const ProgramResult r = run(program);
    EXPECT_LE(r.seconds, 1.02 * r.cpu_alone + 0.05);
  }
}

// Another program had the GPU for a while. After that the CPU's threads spin, and a call on the GPU
// does not show that it is fast again.
TEST(BesideThreadsThatSpin, ADisturbedQuietTimeDoesNotDecideForGood) {
  SimulatedProgram program = program_of(cubes(30000, 1024));
  program.pause = 1e-3;
  program.disturbed = [](std::size_t call) {
    const bool is_busy = call > 2000 && call < 2050;
    return test::Disturbance{1, is_busy ? 20.0 : 1.0};
  };
  const ProgramResult r = run(program);
  const double last = std::accumulate(r.each.end() - 1000, r.each.end(), 0.0);
  EXPECT_LT(last, 0.6 * 1000 * r.cpu_alone / static_cast<double>(r.calls));
}

}  // namespace
}  // namespace duoblas

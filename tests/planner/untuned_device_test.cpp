// A program of one large product, whose GPU another device's profile stands in for.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "planner/learning_machine.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_problem;
using test::ProgramResult;
using test::SimulatedProgram;

// sgemm of 4096: 118 ms on the CPU, 11 on the GPU, of which the profile promises 28.
SimulatedProgram large_products(double warmed_up, std::vector<double> cold) {
  SimulatedProgram program;
  program.machine = test::simulated_h200();
  program.machine.uneven = {};
  program.calls.assign(17, paper_problem(Precision::s, 4096, 4096, 4096));
  program.borrowed = true;
  program.promise = 2.5;
  program.noise = 0.05;
  program.warmed_up = warmed_up;
  program.cold_calls = std::move(cold);
  return program;
}

const std::vector<std::vector<double>> colds = {{}, {5, 2}, {10, 3}, {10, 10, 5, 3}};

TEST(AnUntunedDevice, IsUsedAfterItsWarmUpHoweverColdItsFirstCallsAre) {
  for (const double warmed_up : {1, 2, 4, 8})
    for (const auto& cold : colds) {
      SCOPED_TRACE(std::to_string(warmed_up) + ", " + std::to_string(cold.size()));
      const ProgramResult r = run(large_products(warmed_up, cold));
      EXPECT_LE(r.seconds, 1.02 * r.cpu_alone + 20e-3);
      EXPECT_LE(r.each.back(), r.best_of_each.back() / 0.9);
    }
}

// Beside a program's BLAS a warm-up may take many times as long as alone.
TEST(AnUntunedDevice, IsUsedByLargeDoublesHoweverMuchItsWarmUpWasDisturbed) {
  for (const auto& [n, calls] : {std::pair(2048, 60), std::pair(4096, 10)})
    for (const double warmed_up : {1, 2, 4, 8})
      for (const auto& cold : {colds[0], colds[1], colds[2]}) {
        SCOPED_TRACE(std::to_string(n) + ", " + std::to_string(warmed_up) + ", " +
                     std::to_string(cold.size()));
        SimulatedProgram program = large_products(warmed_up, cold);
        program.calls.assign(static_cast<std::size_t>(calls), paper_problem(Precision::d, n, n, n));
        const ProgramResult r = run(program);
        EXPECT_LE(r.seconds, 1.02 * r.cpu_alone + 20e-3);
        EXPECT_LE(r.each.back(), r.best_of_each.back() / 0.9);
      }
}

// The GPU takes two to six times as long as the other device's profile promises.
TEST(AnUntunedDevice, CostsLittleWhereItIsSlowerThanTheCpuWhateverItsWarmUpSays) {
  for (const double promise : {0.5, 0.25, 1.0 / 6})
    for (const double slowed : {1, 2, 4}) {
      SCOPED_TRACE(std::to_string(promise) + ", " + std::to_string(slowed));
      SimulatedProgram program = large_products(slowed, {});
      program.machine.gpu.peak_flops /= 12;
      program.machine.gpu.copy_bytes_per_second /= 12;
      program.promise = promise;
      const ProgramResult r = run(program);
      ASSERT_LT(r.cpu_alone, r.gpu_alone);
      EXPECT_LE(r.seconds, 1.02 * r.cpu_alone + 20e-3);
    }
}

// Even 64 rows need all of B on the GPU: 7 ms as promised, 200 as it may be.
TEST(AnUntunedDevice, IsLeftAloneByLargeProductsBeforeAnythingHasShownIt) {
  for (const auto& cold : colds) {
    const ProgramResult r = run(large_products(0, cold));
    EXPECT_LE(r.seconds, 1.02 * r.cpu_alone + 20e-3);
  }
}

}  // namespace
}  // namespace duoblas

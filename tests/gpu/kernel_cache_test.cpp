// The cache of programs: what is found, built once, refused.
#include "gpu/kernels/kernel_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gpu/streams/gemv.hpp"
#include "support/first_device.hpp"

namespace duoblas {
namespace {

// What is known makes no text: its options take as long to write as a launch.
TEST(KernelCacheTest, AreFoundByTheirNumber) {
  OpenedDevice device(test::first_device(), {});
  const auto is_right = [](BuiltProgram&, std::uint64_t) { return std::string(); };
  GemvProblem problem;
  problem.rows = 40;
  problem.columns = 24;
  const GemvKernel kernel{1, 1, 1, 2, 2, 1};
  const auto sized = of_these_sizes(device, problem, kernel, false);
  ASSERT_TRUE(sized.has_value());
  std::set<const BuiltProgram*> built;
  for (const GemvVariant& variant : {*sized, of_any_size(kernel, false)}) {
    const ProgramNumber number = program_number_of(problem, variant);
    EXPECT_FALSE(device.kernels.has(number));
    int written = 0;
    const auto program = [&] {
      ++written;
      return gemv_program(problem, variant);
    };
    for (int call = 0; call < 2; ++call)
      built.insert(&device.kernels.get(number, program, is_right));
    EXPECT_EQ(written, 1);
    EXPECT_TRUE(device.kernels.has(number));
  }
  EXPECT_EQ(built.size(), 2u);
  GemvProblem longer = problem;
  longer.rows = 41;
  const auto other = of_these_sizes(device, longer, kernel, false);
  ASSERT_TRUE(other.has_value());
  EXPECT_FALSE(device.kernels.has(program_number_of(longer, *other)));
}

TEST(KernelCacheTest, AreBuiltOnceForThreadsThatAskAtOnce) {
  OpenedDevice device(test::first_device(), {});
  const GemvProblem problem;
  const GemvVariant variant = of_any_size({1, 1, 1, 2, 2}, false);
  std::atomic<int> written{0};
  const auto program = [&] {
    ++written;
    return gemv_program(problem, variant);
  };
  const auto is_right = [](BuiltProgram&, std::uint64_t) { return std::string(); };
  std::array<const BuiltProgram*, 4> built{};
  std::vector<std::thread> threads;
  for (const BuiltProgram*& place : built)
    threads.emplace_back([&] {
      place = &device.kernels.get(program_number_of(problem, variant), program, is_right);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(written, 1);
  EXPECT_EQ(std::set<const BuiltProgram*>(built.begin(), built.end()).size(), 1u);
}

TEST(KernelCacheTest, SayWhatTheyRefuse) {
  OpenedDevice device(test::first_device(), {});
  const auto programs =
      gemv_programs(device, {}, default_gemv_kernel(device.limits, Precision::s, false));
  ASSERT_GT(programs.size(), 1U);
  EXPECT_FALSE(device.kernels.has_refused());
  device.kernels.reject(programs[0], "it was wrong");
  EXPECT_TRUE(device.kernels.has_refused());
  EXPECT_TRUE(device.kernels.refuses(programs[0].number));
  EXPECT_FALSE(device.kernels.refuses(programs[1].number));
}

}  // namespace
}  // namespace duoblas

// The ladder's steps: legal, in order, and each a change of an earlier one.
#include "bench/ladder_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

constexpr Precision kAll[] = {Precision::s, Precision::d, Precision::c, Precision::z};

DeviceLimits integrated_gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = 32 << 10;
  return limits;
}

DeviceLimits data_centre_gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 48 << 10;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  return limits;
}

DeviceLimits cpu_with_vectors_of(int bytes) {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.max_work_group_size = 4096;
  limits.vector_bytes = bytes;
  return limits;
}

std::string rule_against(const LadderStep& step, Precision precision, const DeviceLimits& limits) {
  const KernelRule* rule = violated_rule(step.kernel, precision, limits);
  return rule == nullptr ? "" : step.title + ": " + std::string(rule->name);
}

TEST(TiledLadder, EveryStepIsLegalOnADeviceThatHasEverything) {
  for (const Precision p : kAll)
    for (const LadderStep& step : tiled_ladder(p, data_centre_gpu()))
      EXPECT_EQ(rule_against(step, p, data_centre_gpu()), "") << letter(p);
}

TEST(TiledLadder, ASmallGpuLacksOnlyTheStepsThatNeedInstructionsItHasNot) {
  for (const Precision p : kAll)
    for (const LadderStep& step : tiled_ladder(p, integrated_gpu()))
      if (!step.kernel.async_copy) {
        EXPECT_EQ(rule_against(step, p, integrated_gpu()), "") << letter(p);
      }
}

TEST(TiledLadder, BeginsWithTheNineStepsOfTheTutorial) {
  for (const Precision p : kAll) {
    const std::vector<LadderStep> steps = tiled_ladder(p, data_centre_gpu());
    ASSERT_GT(steps.size(), 9u);
    for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i].of_tutorial, i < 9);
  }
}

TEST(TiledLadder, OnlyDoublesHaveMatrixInstructions) {
  for (const Precision p : kAll) {
    const bool has_matrix = std::ranges::any_of(
        tiled_ladder(p, data_centre_gpu()),
        [](const LadderStep& step) { return step.kernel.matrix != MatrixUnit::none; });
    EXPECT_EQ(has_matrix, p == Precision::d) << letter(p);
  }
}

TEST(PanelLadder, EveryStepIsLegalWithAnyWidthOfVectors) {
  for (const int bytes : {16, 32, 64})
    for (const Precision p : kAll)
      for (const LadderStep& step : panel_ladder(p, cpu_with_vectors_of(bytes)))
        EXPECT_EQ(rule_against(step, p, cpu_with_vectors_of(bytes)), "") << letter(p) << bytes;
}

TEST(Ladders, HaveFieldValuesThatTheFieldTableKnows) {
  for (const Precision p : kAll)
    for (const auto& steps :
         {tiled_ladder(p, data_centre_gpu()), panel_ladder(p, cpu_with_vectors_of(64))})
      for (const LadderStep& step : steps)
        EXPECT_EQ(from_fields(to_fields(step.kernel)), step.kernel) << step.title;
}

TEST(Ladders, ChangeOneOfTheirEarlierSteps) {
  for (const Precision p : kAll)
    for (const auto& steps :
         {tiled_ladder(p, data_centre_gpu()), panel_ladder(p, cpu_with_vectors_of(64))}) {
      EXPECT_EQ(steps.front().from, 0u);
      for (std::size_t i = 1; i < steps.size(); ++i) {
        EXPECT_GE(steps[i].from, 1u);
        EXPECT_LE(steps[i].from, i);
      }
    }
}

TEST(Ladders, ExplainThemselvesInLinesOfATable) {
  for (const Precision p : kAll)
    for (const auto& steps :
         {tiled_ladder(p, data_centre_gpu()), panel_ladder(p, cpu_with_vectors_of(64))})
      for (const LadderStep& step : steps) {
        EXPECT_LE(step.title.size(), 29u) << step.title;
        EXPECT_LE(step.change.size(), 92u) << step.change;
      }
}

}  // namespace
}  // namespace duoblas

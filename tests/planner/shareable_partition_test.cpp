// Partitions that leave the GPU a part of C which a driver can share that shares in larger units.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_machine;
using test::paper_problem;

std::size_t end_of(const GemmProblem& p, std::int64_t rows) {
  const std::int64_t elements = (rows - 1) * p.ldc + p.n;
  return reinterpret_cast<std::uintptr_t>(p.c) +
         static_cast<std::size_t>(elements) * element_size(p.precision);
}

GemmProblem with_c_at(std::uintptr_t address, std::int64_t m, std::int64_t n, std::int64_t ldc) {
  GemmProblem p = paper_problem(Precision::s, m, n, 700);
  p.c = reinterpret_cast<void*>(address);
  p.ldc = ldc;
  return p;
}

// Rows end at pages every 64.
GemmProblem large_product() {
  GemmProblem p = with_c_at(1 << 20, 2048, 2000, 2000);
  p.k = p.lda = 2048;
  return p;
}

TEST(ShareablePartition, IsTheNearestOneWithinASixteenthThatThereIs) {
  constexpr std::int64_t m = 4000;
  for (const std::size_t unit : {64, 4096})
    for (const auto& [n, ldc] : {std::array<std::int64_t, 2>{1024, 1024},
                                 {1000, 1000},
                                 {1001, 1001},
                                 {992, 1024},
                                 {30, 31},
                                 {1008, 1040}})
      for (const std::int64_t tile : {1, 6, 64, 96})
        for (const std::int64_t about : {96, 1920, 3936}) {
          const std::int64_t wanted = about / tile * tile;
          const GemmProblem p = with_c_at(1 << 20, m, n, ldc);
          const std::int64_t rows = shareable_rows(p, wanted, tile, unit);
          SCOPED_TRACE(testing::Message() << unit << ' ' << n << ' ' << ldc << ' ' << tile << ' '
                                          << wanted << " -> " << rows);
          std::int64_t nearest = -1;
          for (std::int64_t count = tile; count < m; count += tile)
            if (end_of(p, count) % unit == 0 &&
                (nearest < 0 || std::abs(count - wanted) < std::abs(nearest - wanted)))
              nearest = count;
          const bool is_near = nearest > 0 && std::abs(nearest - wanted) <= m / 16;
          EXPECT_EQ(std::abs(rows - wanted), is_near ? std::abs(nearest - wanted) : 0);
          if (is_near) {
            EXPECT_EQ(end_of(p, rows) % unit, 0u);
            EXPECT_EQ(rows % tile, 0);
          }
        }
}

TEST(ShareablePartition, IsOfNoUseWhereCDoesNotBeginSo) {
  const GemmProblem p = with_c_at((1 << 20) + 16, 4000, 1001, 1001);
  EXPECT_EQ(shareable_rows(p, 1920, 96, 4096), 1920);
  EXPECT_EQ(shareable_rows(p, 1920, 96, 64), 1920);
}

TEST(ShareablePartition, IsAnyWhereDriversShareEverythingOrNothing) {
  const GemmProblem p = with_c_at(1 << 20, 4000, 1001, 1001);
  EXPECT_EQ(shareable_rows(p, 1921, 96, 1), 1921);
  EXPECT_EQ(shareable_rows(p, 1921, 96, 0), 1921);
}

TEST(ShareablePartition, IsWhatPlansOfBothSidesHave) {
  PlanMachine machine = paper_machine();
  const GemmProblem p = large_product();
  const PlanRequest both{Strategy::hybrid, std::nullopt, {}};
  const Plan plain = make_plan(p, machine, both);
  ASSERT_NE(end_of(p, plain.gpu_extent) % 4096, 0u) << "it is not so by itself";
  machine.shared_bytes = 4096;
  const Plan plan = make_plan(p, machine, both);
  ASSERT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_EQ(end_of(p, plan.gpu_extent) % 4096, 0u);
  EXPECT_LE(std::abs(plan.gpu_extent - plain.gpu_extent), p.m / 16);
}

TEST(ShareablePartition, LeavesASplitThatWasGivenAsItIs) {
  PlanMachine machine = paper_machine();
  const GemmProblem p = large_product();
  for (const Strategy strategy : {Strategy::automatic, Strategy::hybrid}) {
    const PlanRequest request{strategy, Share{9, 16}, {}};
    machine.shared_bytes = 0;
    const Plan plain = make_plan(p, machine, request);
    machine.shared_bytes = 4096;
    EXPECT_EQ(make_plan(p, machine, request).gpu_extent, plain.gpu_extent);
  }
}

TEST(ShareablePartition, IsNothingToOperandsThatAreCopied) {
  PlanMachine machine = paper_machine();
  machine.sharing = SharingMode::staged;
  const GemmProblem p = large_product();
  const PlanRequest both{Strategy::hybrid, std::nullopt, {}};
  const Plan plain = make_plan(p, machine, both);
  machine.shared_bytes = 4096;
  EXPECT_EQ(make_plan(p, machine, both).gpu_extent, plain.gpu_extent);
}

}  // namespace
}  // namespace duoblas

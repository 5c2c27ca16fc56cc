// How products of a batch are dealt to threads, and that their results are right.
#include "cpu/batch_tasks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "problem/caller_gemm.hpp"
#include "row_major_front.hpp"
#include "support/batch_case.hpp"
#include "whole_cpu.hpp"

namespace duoblas {
namespace {

BatchGroup group(std::int64_t n, std::int64_t count) {
  BatchGroup made;
  made.shape.precision = Precision::d;
  made.shape.m = made.shape.n = made.shape.k = n;
  made.count = count;
  return made;
}

std::vector<BatchRound> rounds_of(const BatchGroup& only, int threads) {
  return batch_rounds({Precision::d, {only}}, threads);
}

std::int64_t products_of(const BatchRound& round) {
  std::int64_t products = 0;
  for (const BatchTask& task : round.tasks) products += task.count;
  return products;
}

TEST(BatchTasks, HaveEveryProductOnce) {
  const BatchProblem batch{
      Precision::d, {group(8, 1000), group(0, 7), group(300, 11), group(700, 2), group(64, 1)}};
  for (const int threads : {1, 2, 16, 64}) {
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (const BatchRound& round : batch_rounds(batch, threads))
      for (const BatchTask& task : round.tasks)
        for (std::int64_t i = 0; i < task.count; ++i)
          EXPECT_TRUE(seen.emplace(task.group, task.first + i).second);
    EXPECT_EQ(seen.size(), 1000u + 11 + 2 + 1) << threads << " threads";
  }
}

TEST(BatchTasks, OfSmallProductsHaveMany) {
  const auto rounds = rounds_of(group(16, 100000), 4);
  ASSERT_EQ(rounds.size(), 1u);
  EXPECT_GE(rounds.front().tasks.size(), 4u * 4);
  for (const BatchTask& task : rounds.front().tasks) EXPECT_GT(task.count, 50);
}

TEST(BatchTasks, OfAFewSmallProductsAreOne) {
  const auto rounds = rounds_of(group(4, 5), 16);
  ASSERT_EQ(rounds.size(), 1u);
  EXPECT_EQ(rounds.front().tasks.size(), 1u);
}

TEST(BatchTasks, ShareLargeProductsAndFewOnesAmongAllThreads) {
  for (const BatchRound& round : rounds_of(group(700, 100), 4)) {
    EXPECT_TRUE(round.is_shared);
    EXPECT_EQ(products_of(round), 1);
  }
  EXPECT_TRUE(rounds_of(group(250, 3), 16).front().is_shared);
  EXPECT_FALSE(rounds_of(group(250, 100), 16).front().is_shared);
  EXPECT_FALSE(rounds_of(group(32, 3), 16).front().is_shared);
}

TEST(BatchTasks, AreInRoundsThatAForkCanWaitFor) {
  const auto rounds = rounds_of(group(256, 50000), 16);
  EXPECT_GT(rounds.size(), 5u);
  for (const BatchRound& round : rounds) EXPECT_LE(products_of(round), 7500);
}

// The CPU's side of whole batches.
template <typename T>
BatchProblem problem_of(const test::BatchCall<T>& b) {
  CallerGemm caller{b.shape.layout, {}};
  caller.args = {.precision = precision_of<T>,
                 .op_a = b.shape.op_a,
                 .op_b = b.shape.op_b,
                 .m = b.shape.m,
                 .n = b.shape.n,
                 .k = b.shape.k,
                 .alpha = b.shape.alpha,
                 .lda = b.shape.lda,
                 .ldb = b.shape.ldb,
                 .beta = b.shape.beta,
                 .ldc = b.ldc};
  BatchGroup made;
  made.shape = to_row_major(caller);
  made.a = {b.shape.a, b.stride_a, nullptr, sizeof(T)};
  made.b = {b.shape.b, b.stride_b, nullptr, sizeof(T)};
  made.c = {b.c, b.stride_c, nullptr, sizeof(T)};
  if (b.shape.layout == Layout::column_major) std::swap(made.a, made.b);
  made.count = b.count;
  return {precision_of<T>, {made}};
}

TEST(CpuBatches, AreRightForSmallLargeAndScaledProducts) {
  test::for_each_type([&]<typename T>() {
    for (const auto& [n, k, count] :
         {std::array<std::int64_t, 3>{7, 5, 300}, {33, 20, 40}, {300, 60, 2}, {20, 0, 30}})
      for (const double beta : {0.0, -0.7}) {
        test::BatchFactors f;
        f.one = {.op_b = Op::transpose, .m = n, .n = n + 3, .k = k, .pad = 1, .beta = beta};
        f.count = count;
        f.gap = 2;
        test::expect_batch_right<T>(f, [&](const test::BatchCall<T>& call) {
          test::cpu().run(problem_of(call), test::cpu().all_cores(""));
        });
      }
  });
}

}  // namespace
}  // namespace duoblas

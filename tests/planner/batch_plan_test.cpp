// How a batch is divided between the sides.
#include "planner/batch_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::automatic;
using test::paper_machine;
using test::want_hybrid;

BatchProblem batch_of(std::int64_t n, std::int64_t count, Precision precision = Precision::s) {
  BatchGroup group = group_of(test::paper_problem(precision, n, n, n));
  group.count = count;
  return {precision, {group}};
}

TEST(BatchPlan, LeavesEverythingToAllCoresWhereThereIsNoDevice) {
  PlanMachine machine = paper_machine();
  machine.has_gpu = false;
  for (const PlanRequest& request : {automatic, want_hybrid}) {
    const BatchPlan planned = make_batch_plan(batch_of(64, 1000), machine, request);
    EXPECT_FALSE(planned.uses_gpu());
    EXPECT_EQ(planned.plan.reason, Reason::no_device);
    EXPECT_EQ(planned.plan.cpu, machine.cpu_all_for(Precision::s));
  }
}

TEST(BatchPlan, KeepsAForcedSplitWithAProductForEachSideAtLeast) {
  for (const std::int64_t count : {2, 3, 16, 1000})
    for (int parts = 0; parts <= 16; ++parts) {
      const PlanRequest forced{Strategy::hybrid, Share{parts, 16}};
      const BatchPlan planned = make_batch_plan(batch_of(4, count), paper_machine(), forced);
      EXPECT_EQ(planned.partition.rows, 0);
      EXPECT_EQ(planned.entry, 0);
      if (parts == 0) {
        EXPECT_EQ(planned.plan.strategy, Strategy::cpu);
      } else if (parts == 16) {
        EXPECT_EQ(planned.plan.strategy, Strategy::gpu);
        EXPECT_EQ(planned.partition.products, count);
      } else {
        EXPECT_EQ(planned.plan.strategy, Strategy::hybrid);
        EXPECT_EQ(planned.partition.products, forced_gpu_extent(count, Share{parts, 16}));
        EXPECT_GE(planned.partition.products, 1);
        EXPECT_LT(planned.partition.products, count);
      }
    }
}

TEST(BatchPlan, SharesALargeBatchAsTheProfileSharesAsMuchWork) {
  const BatchProblem batch = batch_of(64, 4000);
  const BatchPlan planned = make_batch_plan(batch, paper_machine(), automatic);
  ASSERT_EQ(planned.plan.strategy, Strategy::hybrid);
  EXPECT_GT(planned.partition.products, 1000);
  EXPECT_LT(planned.partition.products, 3500);
  EXPECT_GT(planned.plan.cpu_only_seconds, planned.plan.expected_seconds);
}

TEST(BatchPlan, StaysOnTheCpuBelowTheCrossoverAndWithoutAProfile) {
  const BatchPlan small = make_batch_plan(batch_of(8, 3), paper_machine(), automatic);
  EXPECT_EQ(small.plan.reason, Reason::below_crossover);
  PlanMachine untuned = paper_machine();
  untuned.profile.reset();
  const BatchPlan unknown = make_batch_plan(batch_of(64, 4000), untuned, automatic);
  EXPECT_EQ(unknown.plan.reason, Reason::untuned);
  const BatchPlan asked = make_batch_plan(batch_of(64, 4000), untuned, want_hybrid);
  EXPECT_EQ(asked.plan.strategy, Strategy::hybrid);
  EXPECT_NEAR(static_cast<double>(asked.partition.products), 2000, 40);
}

TEST(BatchPlan, CutsOneOfAFewLargeProductsByRows) {
  PlanMachine untuned = paper_machine();
  untuned.profile.reset();
  const BatchPlan planned = make_batch_plan(batch_of(300, 3), untuned, want_hybrid);
  ASSERT_EQ(planned.plan.strategy, Strategy::hybrid);
  EXPECT_EQ(planned.partition.products, 1);
  EXPECT_NEAR(static_cast<double>(planned.partition.rows), 150, 16);
}

// A part of less than half a product is none. Such a batch shows nothing of the side without any.
TEST(BatchPlan, GivesASideAProductAgainThatRoundingLeftNothing) {
  BatchGroup group = group_of(test::paper_problem(Precision::s, 32, 2000, 2000));
  group.count = 3;
  const BatchProblem batch{Precision::s, {group}};
  LearnedTimes learned;
  learned.seen[place_of(Timed::gpu_side)] = learned.seen[place_of(Timed::cpu_side)] = true;
  learned.posteriors.fill({0, 0.2});
  learned.posteriors[place_of(Timed::cpu_side)].mean = std::log(1000.0);
  learned.allowance = 100;
  BatchPlan planned = make_batch_plan(batch, paper_machine(), want_hybrid, &learned);
  EXPECT_EQ(planned.plan.strategy, Strategy::gpu);
  EXPECT_EQ(planned.partition.products, 3);
  ASSERT_TRUE(planned.plan.forecast) << "its seconds count";
  EXPECT_GT(planned.plan.forecast->modelled[place_of(Timed::gpu_alone)], 0);
  learned.unseen.fill({10'000});
  planned = make_batch_plan(batch, paper_machine(), want_hybrid, &learned);
  EXPECT_EQ(planned.plan.strategy, Strategy::hybrid);
  EXPECT_EQ(planned.partition.products, 2);
  ASSERT_TRUE(planned.plan.forecast);
  EXPECT_TRUE(planned.plan.forecast->explores);
  EXPECT_GT(planned.plan.forecast->modelled[place_of(Timed::cpu_side)], 0);
}

TEST(StackedBatch, HasTheBatchsWork) {
  for (const bool copied : {false, true})
    for (const std::int64_t n : {16, 100, 200}) {
      const BatchProblem batch = batch_of(n, 777);
      const GemmProblem all = stacked(batch, copied);
      EXPECT_NEAR(flops(all) / flops(batch), 1, 0.01);
      if (copied) {
        EXPECT_EQ(all.n, n);
        EXPECT_EQ(all.k, n);
      } else {
        EXPECT_EQ(all.m, all.k);
        EXPECT_EQ(all.n, all.k);
      }
    }
}

TEST(StackedBatch, OfSeveralShapesHasTheShapeOfMostOfTheWork) {
  BatchProblem batch = batch_of(64, 100);
  batch.groups.push_back(batch_of(8, 50).groups.front());
  EXPECT_EQ(stacked(batch, true).k, 64);
  EXPECT_NEAR(flops(stacked(batch, true)) / flops(batch), 1, 0.01);
}

TEST(BatchKind, IsNotThatOfAProductNorOfABatchOfOtherSize) {
  const GemmProblem shape = test::paper_problem(Precision::s, 64, 64, 64);
  const CallKind one = kind_of(shape, {}), thousand = kind_of_batch(shape, 1000, {});
  EXPECT_NE(one.call, kind_of_batch(shape, 1, {}).call);
  EXPECT_NE(thousand.call, kind_of_batch(shape, 3000, {}).call);
  EXPECT_EQ(thousand.call, kind_of_batch(shape, 1010, {}).call);
  EXPECT_TRUE(thousand.is_usual());
  Circumstances contended;
  contended.contended = true;
  EXPECT_FALSE(kind_of_batch(shape, 1000, contended).is_usual());
}

}  // namespace
}  // namespace duoblas

// Plans that are found again, and when they are made anew.
#include "engine/known_plans.hpp"

#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "memory/registered_memory.hpp"

namespace duoblas {
namespace {

class KnownPlans : public testing::Test {
 protected:
  static GemmProblem product(std::int64_t n) {
    GemmProblem p;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    return p;
  }
  PlanKey key(const GemmProblem& p) const { return plan_key(p, machine, request, now, learned); }
  static const Plan* known_plan(const PlanKey& key) { return known_plans.find(key, hash_of(key)); }
  static void keep_plan(const PlanKey& key, const Plan& plan) {
    known_plans.keep(key, hash_of(key), plan);
  }
  static Plan plan(std::int64_t rows) {
    Plan of;
    of.gpu_extent = rows;
    return of;
  }
  // Others' tests leave plans behind.
  static std::uint64_t new_number() {
    static std::uint64_t number = 0;
    return ++number;
  }

  PlanMachine machine;
  PlanRequest request;
  Circumstances now;
  std::uint64_t learned = new_number();
};

TEST_F(KnownPlans, AreFoundAgain) {
  const PlanKey wanted = key(product(1000));
  EXPECT_EQ(known_plan(wanted), nullptr);
  keep_plan(wanted, plan(17));
  ASSERT_NE(known_plan(wanted), nullptr);
  EXPECT_EQ(known_plan(wanted)->gpu_extent, 17);
}

TEST_F(KnownPlans, AreMadeAgainNowAndThen) {
  const PlanKey wanted = key(product(1000));
  keep_plan(wanted, plan(17));
  int found = 0;
  while (known_plan(wanted) != nullptr && found < 1000) ++found;
  EXPECT_EQ(found, 63);
}

TEST_F(KnownPlans, AreForCallsThatDifferInNothingThatDecides) {
  const GemmProblem known = product(1000);
  keep_plan(key(known), plan(17));
  double element = 1;
  GemmProblem same = known;
  same.a = same.b = same.c = &element;
  same.alpha = 3;
  EXPECT_NE(known_plan(key(same)), nullptr);

  const std::function<void(GemmProblem&)> changes[] = {
      [](GemmProblem& p) { p.m = 1001; },
      [](GemmProblem& p) { p.n = 1001; },
      [](GemmProblem& p) { p.k = 1001; },
      [](GemmProblem& p) { p.lda = 1001; },
      [](GemmProblem& p) { p.ldb = 1001; },
      [](GemmProblem& p) { p.ldc = 1001; },
      [](GemmProblem& p) { p.beta = 1; },
      [](GemmProblem& p) { p.alpha = 0; },
      [](GemmProblem& p) { p.op_a = Op::transpose; },
      [](GemmProblem& p) { p.op_b = Op::conj_transpose; },
      [](GemmProblem& p) { p.precision = Precision::d; }};
  for (const auto& change : changes) {
    GemmProblem other = known;
    change(other);
    EXPECT_EQ(known_plan(key(other)), nullptr);
  }
}

TEST_F(KnownPlans, AreForTheSameMachineRequestAndKnowledge) {
  const GemmProblem p = product(1000);
  keep_plan(key(p), plan(17));
  const PlanMachine other;
  EXPECT_EQ(known_plan(plan_key(p, other, request, now, learned)), nullptr);
  EXPECT_EQ(known_plan(plan_key(p, machine, {Strategy::hybrid, {}, {}}, now, learned)), nullptr);
  EXPECT_EQ(known_plan(plan_key(p, machine, {{}, {}, MathMode::tf32x3}, now, learned)), nullptr);
  EXPECT_EQ(known_plan(plan_key(p, machine, request, {.contended = true}, learned)), nullptr);
  EXPECT_EQ(known_plan(plan_key(p, machine, request, {.unusual = 1}, learned)), nullptr);
  EXPECT_EQ(known_plan(plan_key(p, machine, request, now, new_number())), nullptr);
  EXPECT_NE(known_plan(key(p)), nullptr);
}

TEST_F(KnownPlans, DependOnWhereCLiesWhereADriverSharesPages) {
  machine.shared_bytes = 4096;
  alignas(4096) static char pages[3 * 4096];
  GemmProblem p = product(1000);
  p.c = pages;
  keep_plan(key(p), plan(17));
  p.c = pages + 8192;
  EXPECT_NE(known_plan(key(p)), nullptr);
  p.c = pages + 64;
  EXPECT_EQ(known_plan(key(p)), nullptr);
}

TEST_F(KnownPlans, AreEachThreadsOwn) {
  const PlanKey wanted = key(product(1000));
  keep_plan(wanted, plan(17));
  std::thread([&] {
    EXPECT_EQ(known_plan(wanted), nullptr);
    keep_plan(wanted, plan(18));
    EXPECT_EQ(known_plan(wanted)->gpu_extent, 18);
  }).join();
  EXPECT_EQ(known_plan(wanted)->gpu_extent, 17);
}

TEST_F(KnownPlans, OfManyShapesAreForgottenNotMixedUp) {
  for (std::int64_t n = 1; n <= 200; ++n) {
    keep_plan(key(product(n)), plan(n));
    for (std::int64_t before = 1; before <= n; ++before)
      if (const Plan* known = known_plan(key(product(before)))) {
        ASSERT_EQ(known->gpu_extent, before);
      }
  }
}

TEST(RegisteredOperands, AreKnownUntilABlockIsEnteredOrLeft) {
  constexpr std::int64_t n = 8;
  static double memory[3 * n * n];
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = memory;
  p.b = memory + n * n;
  p.c = memory + 2 * n * n;
  // More calls than a decision is found.
  const auto expect_registered = [&](bool is) {
    for (int call = 0; call < 200; ++call) ASSERT_EQ(has_registered_operand(p), is) << call;
  };
  expect_registered(false);
  for (int turn = 0; turn < 2; ++turn) {
    const std::uint64_t before = registrations();
    ASSERT_TRUE(enter_block(p.c, n * n * sizeof(double), BlockOwner::program));
    EXPECT_NE(registrations(), before);
    expect_registered(true);
    ASSERT_TRUE(leave_block(p.c, BlockOwner::program));
    expect_registered(false);
  }
}

}  // namespace
}  // namespace duoblas

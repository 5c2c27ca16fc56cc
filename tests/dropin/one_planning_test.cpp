// Every call is planned once, whichever way it comes in: a gemm by one plan, the rest of level 3 by
// one plan per product.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <duoblas/duoblas.h>
#include <duoblas/duoblas.hpp>

#include "api/context_state.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/problem_of_call.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

// The planner as the linker calls it (--wrap in CMakeLists.txt).
#define DUOBLAS_MAKE_PLAN(prefix)                                                            \
  prefix                                                                                     \
      "_ZN7duoblas9make_planERKNS_11GemmProblemERKNS_11PlanMachineERKNS_11PlanRequestEPKNS_" \
      "12LearnedTimesE"
duoblas::Plan real_make_plan(const duoblas::GemmProblem&, const duoblas::PlanMachine&,
                             const duoblas::PlanRequest&,
                             const duoblas::LearnedTimes*) asm(DUOBLAS_MAKE_PLAN("__real_"));
duoblas::Plan make_plan_and_note(const duoblas::GemmProblem&, const duoblas::PlanMachine&,
                                 const duoblas::PlanRequest&,
                                 const duoblas::LearnedTimes*) asm(DUOBLAS_MAKE_PLAN("__wrap_"));

extern "C" const struct duoblas_dropin_engine* duoblas_dropin_engine(void);

namespace duoblas::test {
namespace {

std::mutex mutex;
std::vector<GemmProblem> planned;
// Kernels of likely products are planned in the background.
std::set<std::thread::id> counted_threads;

void note_planning(const GemmProblem& problem) {
  const std::lock_guard guard(mutex);
  if (counted_threads.empty() || counted_threads.contains(std::this_thread::get_id()))
    planned.push_back(problem);
}

// The process's own context finds the profile, and takes the CPU device since it is named.
class OnePlanning : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const TemporaryDirectory profiles;
    ::setenv("DUOBLAS_PROFILE_DIR", profiles.path().c_str(), 1);
    ::setenv("DUOBLAS_DEVICE", "0", 1);
    // Calls that are alike are to be planned alike.
    ::setenv("DUOBLAS_ADAPT", "0", 1);
    ::setenv("DUOBLAS_START_MS", "0", 1);
    Engine engine(Settings::from_environment());
    store_profile(profiles.path(), flattering_profile(engine));
  }

  void SetUp() override {
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    const std::lock_guard guard(mutex);
    counted_threads.clear();
  }

  /// The products that were planned meanwhile; on this thread alone, or on all.
  template <typename Call>
  static std::vector<GemmProblem> plannings_of(Call&& call, bool on_this_thread = false) {
    {
      const std::lock_guard guard(mutex);
      planned.clear();
      counted_threads.clear();
      if (on_this_thread) counted_threads.insert(std::this_thread::get_id());
    }
    call();
    const std::lock_guard guard(mutex);
    return planned;
  }

  /// Every product of the call was planned, and none twice. (Others were planned and found too
  /// slow.)
  static void expect_each_once(const std::vector<GemmProblem>& plannings,
                               const Decision& decision) {
    std::set<Product> seen;
    for (const GemmProblem& p : plannings) EXPECT_TRUE(seen.insert(product(p)).second);
    std::size_t products = 0;
    for (const CallStep& step : decision.steps)
      if (const auto* planned_product = std::get_if<PlannedProduct>(&step)) {
        ++products;
        EXPECT_TRUE(seen.contains(product(planned_product->problem)));
      } else if (std::holds_alternative<DeviceCall>(step)) {
        // By the product that does the same with whole matrices, which has no operands.
        ++products;
        EXPECT_TRUE(seen.contains({nullptr, nullptr, nullptr, n, n}));
      }
    EXPECT_GT(products, 0u);
  }

  using Product = std::tuple<const void*, const void*, const void*, std::int64_t, std::int64_t>;
  static Product product(const GemmProblem& p) { return {p.a, p.b, p.c, p.m, p.n}; }

  static constexpr std::int64_t n = 600;
  Context& context = Context::process_default();
  Engine& engine = ContextEngine::of(context);
  std::vector<double> a = std::vector<double>(n * n, 1), b = a, c = a;

  Level3Problem level3_problem(Routine routine) {
    Level3Problem p;
    p.routine = routine;
    p.precision = Precision::d;
    p.m = p.n = p.k = n;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    p.lda = p.ldb = p.ldc = n;
    return p;
  }
};

TEST_F(OnePlanning, IsThatOfTheCppInterface) {
  GemmProblem product;
  product.precision = Precision::d;
  product.m = product.n = product.k = product.lda = product.ldb = product.ldc = n;
  engine.readiness().build_here(Launches(product, engine.plans().of(product)));
  EXPECT_EQ(plannings_of([&] {
              context.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(), n,
                                   b.data(), n, 0, c.data(), n);
            }).size(),
            1u);
  EXPECT_NE(Context::last_call().strategy, Strategy::cpu);
}

TEST_F(OnePlanning, IsThatOfPreparedOperands) {
  const auto prepared = context.prepare(Layout::row_major, n, n, b.data(), n);
  EXPECT_EQ(plannings_of([&] {
              context.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, {a.data(), n},
                                   prepared, 0, c.data(), n);
            }).size(),
            1u);
}

TEST_F(OnePlanning, IsThatOfTheCInterface) {
  EXPECT_EQ(plannings_of([&] {
              EXPECT_EQ(duoblas_dgemm(DUOBLAS_COLUMN_MAJOR, DUOBLAS_TRANS, DUOBLAS_NO_TRANS, n, n,
                                      n, 1, a.data(), n, b.data(), n, 0, c.data(), n),
                        DUOBLAS_OK);
            }).size(),
            1u);
}

TEST_F(OnePlanning, IsAllThatAJobTakes) {
  EXPECT_EQ(plannings_of([&] {
              context
                  .gemm_async<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(),
                                      n, b.data(), n, 0, c.data(), n)
                  .wait();
            }).size(),
            1u);
}

TEST_F(OnePlanning, IsOneForEachProductOfTheOtherRoutines) {
  for (const Routine routine : {Routine::syrk, Routine::symm, Routine::syr2k, Routine::trsm}) {
    SCOPED_TRACE(name(routine));
    const Level3Problem p = level3_problem(routine);
    Decision decision;
    const auto plannings = plannings_of([&] { decision = decide(engine, p); });
    expect_each_once(plannings, decision);
    EXPECT_EQ(plannings_of([&] { carry_out(engine, p, decision); }).size(), 0u)
        << "what was decided is carried out as it is";
    EXPECT_EQ(plannings_of([&] { run_level3(engine, p); }).size(), plannings.size());
  }
}

TEST_F(OnePlanning, IsThatOfTheDropIn) {
  const struct duoblas_dropin_engine* dropin = ::duoblas_dropin_engine();
  const double one = 1, zero = 0;
  duoblas_blas_call call = {};
  call.routine = DUOBLAS_GEMM;
  call.precision = 'd';
  call.layout = 102;
  call.op_a = call.op_b = 111;
  call.m = call.n = call.k = n;
  call.alpha = &one;
  call.beta = &zero;
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  call.lda = call.ldb = call.ldc = n;
  int reason = 0;
  // The device is opened and kernels are built in the background.
  const auto run_until_done = [&] {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (dropin->run(&call, &reason) != DUOBLAS_DONE) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline)
          << sentence(static_cast<Reason>(reason));
      dropin->note_seconds(&call, 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  const auto run_once = [&] { EXPECT_EQ(dropin->run(&call, &reason), DUOBLAS_DONE); };
  run_until_done();
  const auto plannings = plannings_of(run_once, true);
  EXPECT_EQ(plannings.size(), 1u);

  call.routine = DUOBLAS_SYRK;
  call.uplo = 121;
  const Decision alike = decide(engine, to_row_major(caller_level3(call)));
  run_until_done();
  const auto of_kin = plannings_of(run_once, true);
  expect_each_once(of_kin, alike);
}

}  // namespace
}  // namespace duoblas::test

duoblas::Plan make_plan_and_note(const duoblas::GemmProblem& problem,
                                 const duoblas::PlanMachine& machine,
                                 const duoblas::PlanRequest& request,
                                 const duoblas::LearnedTimes* learned) {
  duoblas::test::note_planning(problem);
  return real_make_plan(problem, machine, request, learned);
}

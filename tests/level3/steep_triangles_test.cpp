// Solves with a triangle of 1 on its diagonal and -1 beside it, the factor of Moler's matrix
// (J. C. Nash, Compact numerical methods for computers, 1979). Its inverse grows by a power of two
// with each line, and products with it lose as many digits; substitution loses none.
#include <algorithm>
#include <cmath>
#include <vector>

#include "fronts.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t order_of_a = 520, sides = 70;

/// The largest difference between the solution and the integers that it should be.
template <typename T>
double error_of_solve(Engine& engine, Uplo uplo, Op op) {
  const auto is_stored = [&](std::int64_t i, std::int64_t j) {
    return uplo == Uplo::lower ? i > j : i < j;
  };
  TestMatrix<T> a(order_of_a, order_of_a, 3), x(order_of_a, sides, 1);
  a.fill([] { return nan_value<T>(); });
  for (std::int64_t i = 0; i < order_of_a; ++i) {
    for (std::int64_t j = 0; j < order_of_a; ++j)
      if (is_stored(i, j)) a.at(i, j) = T(-1);
    for (std::int64_t j = 0; j < sides; ++j)
      x.at(i, j) = T(static_cast<Real<T>>((i * 7 + j) % 5 - 2));
  }
  TestMatrix<T> b = x;
  for (std::int64_t i = 0; i < order_of_a; ++i)
    for (std::int64_t k = 0; k < order_of_a; ++k)
      if (op == Op::none ? is_stored(i, k) : is_stored(k, i))
        for (std::int64_t j = 0; j < sides; ++j) b.at(i, j) -= x.at(k, j);
  Level3Problem p;
  p.routine = Routine::trsm;
  p.precision = precision_of<T>;
  p.uplo = uplo;
  p.op = op;
  p.diag = Diag::unit;
  p.m = order_of_a;
  p.n = sides;
  p.a = a.data();
  p.lda = a.ld();
  p.c = b.data();
  p.ldc = b.ld();
  run_level3(engine, p);
  double largest = 0;
  for (std::int64_t i = 0; i < order_of_a; ++i)
    for (std::int64_t j = 0; j < sides; ++j) {
      const double difference = std::abs(b.at(i, j) - x.at(i, j));
      if (!(difference <= largest)) largest = difference;
    }
  return largest;
}

void expect_solved(Engine& engine) {
  for_all_types([&](auto zero) {
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Op op : {Op::none, Op::transpose}) {
        SCOPED_TRACE(std::string(1, letter(precision_of<decltype(zero)>)) +
                     (uplo == Uplo::lower ? " lower " : " upper ") + letter(op));
        EXPECT_EQ(error_of_solve<decltype(zero)>(engine, uplo, op), 0);
      }
  });
}

TEST(SteepTriangles, AreSolvedWithInPlace) {
  Engine engine(forced_settings());
  expect_solved(engine);
}

TEST(SteepTriangles, AreSolvedWithOnCopies) {
  Engine engine(forced_settings());
  engine.facts().adopt(staged_profile(engine));
  expect_solved(engine);
}

// A job that leaves its triangle to the CPU took the time that the call took: the next calls are
// decided by it.
TEST(SteepTriangles, AreLearnedWhereAJobLeavesThemToTheCpu) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  settings.adapt = true;
  settings.device = "0";
  settings.cache_dir.clear();
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  std::vector<float> a(order_of_a * order_of_a, -1), c(order_of_a * sides, 1);
  Level3Problem p;
  p.routine = Routine::trsm;
  p.diag = Diag::unit;
  p.m = p.lda = order_of_a;
  p.n = p.ldc = sides;
  p.a = a.data();
  p.c = c.data();
  const auto solve = [&] {
    return carry_out(engine, p, decide(engine, p, cpu_blas_limits, Level3Mode::job));
  };
  const auto seen = [&] { return engine.learning().ways().seen_seconds(class_of(p), Way::job); };
  engine.plans().set_split(Share{8, 16});  // which waits for kernels, and learns nothing
  EXPECT_TRUE(solve().recovered);
  engine.plans().set_split({});
  EXPECT_FALSE(seen());
  // The share is another one now, and with it the kernels may be.
  const Decision decision = decide(engine, p, cpu_blas_limits, Level3Mode::job);
  const auto* job = std::get_if<DeviceCall>(&decision.steps.front());
  ASSERT_NE(job, nullptr);
  for (const auto& [product, plan] : products_of(*job))
    engine.readiness().build_here(Launches(product, plan));
  for (int call = 0; call < 4; ++call) {  // a first one does not count, nor does a paused one
    std::fill(c.begin(), c.end(), 1.0f);
    const Outcome did = solve();
    EXPECT_TRUE(did.recovered);
    EXPECT_FALSE(did.used_gpu);
  }
  EXPECT_TRUE(seen());
}

}  // namespace
}  // namespace duoblas::test

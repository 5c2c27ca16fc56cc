// MathMode::tf32x3 as a whole, guard and exact twin included, where the device has the
// instructions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpu/side_front.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

using test::Call;
using test::CaseFactors;
using test::Front;
using test::TestMatrix;

GpuSide& side() {
  static auto* const once = new GpuSide(test::first_device(), {});
  return *once;
}

// Of both sorts of matrix instructions.
class Tf32x3 : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    constexpr std::int64_t many = 1 << 20;  // tiles
    const bool wide = GetParam();
    const auto kernel =
        wide ? tf32x3_kernel(side().limits(), many, many) : tf32x3_kernel(side().limits());
    if (!kernel || kernel->wide != wide) {
      GTEST_SKIP() << side().info().name << " has no such TF32 matrix instructions"
                   << (wide ? " of 128 work-items" : "")
                   << ": their products, whole, were not tested";
    }
    fast_ = *kernel;
    exact_ = exact_twin(side().limits());
  }

  void multiply(const KernelParams& kernel, const Call<float>& call, TestMatrix<float>& c) {
    side().submit(test::problem_of(call, c.data(), c.ld()), kernel, side().best_sharing()).wait();
  }

  KernelParams fast_, exact_;
};

// Of a product 8 roundoffs may be lost where a float loses one, at random: sums of 8 and more are
// within the bound of floats.
TEST_P(Tf32x3, IsAsAccurateAsFloats) {
  const Front<float> front = [&](const Call<float>& call, float* c, std::int64_t ldc) {
    side().submit(test::problem_of(call, c, ldc), fast_, side().best_sharing()).wait();
  };
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose})
      for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
               {1, 1, 8}, {64, 128, 16}, {65, 127, 17}, {200, 300, 513}, {7, 500, 1030}})
        for (const std::int64_t pad : {0, 3})
          for (const double beta : {0.0, -0.7})
            test::expect_right<float>({.op_a = op_a,
                                       .op_b = op_b,
                                       .m = m,
                                       .n = n,
                                       .k = k,
                                       .pad = pad,
                                       .offset = pad / 3,
                                       .alpha = 1.25,
                                       .beta = beta},
                                      front);
}

// One product whose operands can be spoilt.
struct Operands {
  static constexpr std::int64_t m = 150, n = 170, k = 300;
  TestMatrix<float> a{m, k}, b{k, n};

  Operands() {
    a.randomise(11);
    b.randomise(12);
  }
  Call<float> call() const {
    return {Layout::row_major, Op::none, Op::none, m,      n,   k, 1.0f,
            a.data(),          a.ld(),   b.data(), b.ld(), 0.0f};
  }
};

bool same(float x, float y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

std::int64_t differences(const TestMatrix<float>& x, const TestMatrix<float>& y) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < x.lines(); ++i)
    for (std::int64_t j = 0; j < x.length(); ++j) count += !same(x.at(i, j), y.at(i, j));
  return count;
}

TEST_P(Tf32x3, ComputesExactlyWhatItCannotComputeRightly) {
  using Limits = std::numeric_limits<float>;
  for (const float value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e30f,
                            1e-30f, Limits::denorm_min(), Limits::max()})
    for (const bool in_a : {true, false}) {
      SCOPED_TRACE(testing::Message() << value << (in_a ? " in A" : " in B"));
      Operands x;
      TestMatrix<float>& spoilt = in_a ? x.a : x.b;
      spoilt.at(spoilt.lines() - 1, spoilt.length() / 2) = value;
      TestMatrix<float> c(x.m, x.n), expected(x.m, x.n);
      multiply(fast_, x.call(), c);
      multiply(exact_, x.call(), expected);
      EXPECT_EQ(differences(c, expected), 0);
    }
}

TEST_P(Tf32x3, OverflowsAndVanishesWhereFloatsDo) {
  Operands x;
  x.a.fill([] { return 1e30f; });
  x.b.fill([] { return 1e30f; });
  TestMatrix<float> c(x.m, x.n);
  multiply(fast_, x.call(), c);
  EXPECT_TRUE(std::isinf(c.at(0, 0)) && std::isinf(c.at(x.m - 1, x.n - 1)));
  x.b.fill([] { return 1e-30f; });
  multiply(fast_, x.call(), c);
  const auto result = test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, x.m, x.n);
  EXPECT_LT(test::scaled_error(x.call(), {}, result), 1.0);
}

TEST_P(Tf32x3, IsRightUpToTheBoundsOfTheGuard) {
  // Largest with largest, smallest with smallest: what the guard's bounds promise.
  for (const float scale : {0x1p-47f, 0x1p57f}) {
    Operands x;
    const auto at_scale = [&](TestMatrix<float>& matrix, std::uint64_t seed) {
      std::mt19937_64 engine(seed);
      std::uniform_real_distribution<float> uniform(0.5f, 0.99f);
      matrix.fill([&] { return scale * (engine() % 2 == 0 ? 1.0f : -1.0f) * uniform(engine); });
    };
    at_scale(x.a, 3);
    at_scale(x.b, 4);
    TestMatrix<float> c(x.m, x.n);
    multiply(fast_, x.call(), c);
    const auto result = test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, x.m, x.n);
    EXPECT_LT(test::scaled_error(x.call(), {}, result), 1.0) << scale;
  }
}

// Sums are taken in another order by the matrix unit: equal bits mean that it did not run.
TEST_P(Tf32x3, TakesTheMatrixUnitAgainAfterACallThatCouldNot) {
  Operands good, bad;
  bad.a.at(3, 3) = std::numeric_limits<float>::infinity();
  TestMatrix<float> c(good.m, good.n), expected(good.m, good.n), ignored(good.m, good.n);
  multiply(exact_, good.call(), expected);
  for (int round = 0; round < 3; ++round) {
    multiply(fast_, good.call(), c);
    EXPECT_GT(differences(c, expected), 0);
    const auto result =
        test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, good.m, good.n);
    EXPECT_LT(test::scaled_error(good.call(), {}, result), 1.0);
    multiply(fast_, bad.call(), ignored);
    EXPECT_FALSE(std::isfinite(ignored.at(3, 0)));
  }
}

TEST(WideKernel, ThatADriverRefusesLeavesAnotherOne) {
  if (side().limits().wide_matrix) GTEST_SKIP() << side().info().name << " takes it";
  const KernelParams wide = wide_tf32x3();
  EXPECT_THROW(side().prepare(wide, Precision::s, Op::none, Op::none), DeviceError);
  const auto instead = side().launchable(wide, Precision::s);
  ASSERT_TRUE(instead.has_value());
  EXPECT_FALSE(instead->wide);
  EXPECT_EQ(violated_rule(*instead, Precision::s, side().limits()), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Instructions, Tf32x3, testing::Bool(), [](const auto& wide) {
  return std::string(wide.param ? "Of128WorkItems" : "Of32WorkItems");
});

}  // namespace
}  // namespace duoblas

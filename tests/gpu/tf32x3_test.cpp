// MathMode::tf32x3 as a whole, guard and exact twin included, where the device has the
// instructions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "gpu/side_front.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/wide_kernels.hpp"

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

// Products of a type by one of both sorts of matrix instructions.
template <typename T, bool wide>
struct By {
  using Element = T;
  static constexpr bool of_128 = wide;
};

template <typename Instructions>
class Tf32x3 : public testing::Test {
 protected:
  using T = typename Instructions::Element;
  static constexpr Precision precision = precision_of<T>;

  void SetUp() override {
    constexpr std::int64_t many = 1 << 20;  // tiles
    const DeviceLimits& limits = side().limits();
    GemmProblem large;
    large.precision = precision;
    large.m = large.n = large.k = many;
    const auto kernel =
        Instructions::of_128 ? tf32x3_kernel(large, limits) : tf32x3_kernel(precision, limits);
    if (!kernel || kernel->wide != Instructions::of_128) {
      GTEST_SKIP() << side().info().name << " has no such TF32 matrix instructions"
                   << (Instructions::of_128 ? " of 128 work-items" : "")
                   << ": their products, whole, were not tested";
    }
    fast_ = *kernel;
    exact_ = exact_twin(precision, limits);
  }

  void multiply(const KernelParams& kernel, const Call<T>& call, TestMatrix<T>& c) {
    side().submit(test::problem_of(call, c.data(), c.ld()), kernel, side().best_sharing()).wait();
  }

  KernelParams fast_, exact_;
};

using AllInstructions =
    testing::Types<By<float, false>, By<float, true>, By<std::complex<float>, false>,
                   By<std::complex<float>, true>>;

TYPED_TEST_SUITE(Tf32x3, AllInstructions);

// Of a product 8 roundoffs may be lost where a float loses one, at random: sums of 8 and more are
// within the bound of floats.
TYPED_TEST(Tf32x3, IsAsAccurateAsFloats) {
  using T = typename TypeParam::Element;
  const Front<T> front = [&](const Call<T>& call, T* c, std::int64_t ldc) {
    side().submit(test::problem_of(call, c, ldc), this->fast_, side().best_sharing()).wait();
  };
  struct Ops {
    Op a, b;
  };
  std::vector<Ops> ops = {{Op::none, Op::none},
                          {Op::none, Op::transpose},
                          {Op::transpose, Op::none},
                          {Op::transpose, Op::transpose}};
  if (is_complex(this->precision))
    ops = {{Op::none, Op::conj_transpose},
           {Op::conj_transpose, Op::transpose},
           {Op::transpose, Op::none}};
  for (const auto [op_a, op_b] : ops)
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {1, 1, 8}, {64, 128, 16}, {65, 127, 17}, {200, 300, 513}, {7, 500, 1030}})
      for (const std::int64_t pad : {0, 3})
        for (const double beta : {0.0, -0.7})
          test::expect_right<T>({.op_a = op_a,
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
template <typename T>
struct Operands {
  static constexpr std::int64_t m = 150, n = 170, k = 300;
  TestMatrix<T> a{m, k}, b{k, n};

  Operands() {
    a.randomise(11);
    b.randomise(12);
  }
  Call<T> call() const {
    return {Layout::row_major, Op::none, Op::none, m,      n,   k, T(1),
            a.data(),          a.ld(),   b.data(), b.ld(), T(0)};
  }
};

bool same(float x, float y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

bool same(std::complex<float> x, std::complex<float> y) {
  return same(x.real(), y.real()) && same(x.imag(), y.imag());
}

template <typename T>
std::int64_t differences(const TestMatrix<T>& x, const TestMatrix<T>& y) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < x.lines(); ++i)
    for (std::int64_t j = 0; j < x.length(); ++j) count += !same(x.at(i, j), y.at(i, j));
  return count;
}

// An element with this part, and another part that suits.
std::vector<float> with_part(float, float value) {
  return {value};
}
std::vector<std::complex<float>> with_part(std::complex<float> old, float value) {
  return {{value, old.imag()}, {old.real(), value}};
}

TYPED_TEST(Tf32x3, ComputesExactlyWhatItCannotComputeRightly) {
  using T = typename TypeParam::Element;
  using Limits = std::numeric_limits<float>;
  for (const float value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), 1e30f,
                            1e-30f, Limits::denorm_min(), Limits::max()})
    for (const bool in_a : {true, false}) {
      SCOPED_TRACE(testing::Message() << value << (in_a ? " in A" : " in B"));
      Operands<T> x;
      TestMatrix<T>& spoilt = in_a ? x.a : x.b;
      T& element = spoilt.at(spoilt.lines() - 1, spoilt.length() / 2);
      for (const T& spoiling : with_part(element, value)) {
        element = spoiling;
        TestMatrix<T> c(x.m, x.n), expected(x.m, x.n);
        this->multiply(this->fast_, x.call(), c);
        this->multiply(this->exact_, x.call(), expected);
        EXPECT_EQ(differences(c, expected), 0);
      }
    }
}

TYPED_TEST(Tf32x3, OverflowsAndVanishesWhereFloatsDo) {
  using T = typename TypeParam::Element;
  Operands<T> x;
  x.a.fill([] { return T(1e30f); });
  x.b.fill([] { return T(1e30f); });
  TestMatrix<T> c(x.m, x.n);
  this->multiply(this->fast_, x.call(), c);
  EXPECT_TRUE(std::isinf(std::real(c.at(0, 0))) && std::isinf(std::real(c.at(x.m - 1, x.n - 1))));
  x.b.fill([] { return T(1e-30f); });
  this->multiply(this->fast_, x.call(), c);
  const auto result = test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, x.m, x.n);
  EXPECT_LT(test::scaled_error(x.call(), {}, result), 1.0);
}

TYPED_TEST(Tf32x3, IsRightUpToTheBoundsOfTheGuard) {
  using T = typename TypeParam::Element;
  // Largest with largest, smallest with smallest: what the guard's bounds promise.
  for (const float scale : {0x1p-47f, 0x1p57f}) {
    Operands<T> x;
    const auto at_scale = [&](TestMatrix<T>& matrix, std::uint64_t seed) {
      std::mt19937_64 engine(seed);
      std::uniform_real_distribution<float> uniform(0.5f, 0.99f);
      const auto number = [&] {
        return scale * (engine() % 2 == 0 ? 1.0f : -1.0f) * uniform(engine);
      };
      matrix.fill([&] {
        T element(number());
        if constexpr (test::is_complex_type<T>) element.imag(number());
        return element;
      });
    };
    at_scale(x.a, 3);
    at_scale(x.b, 4);
    TestMatrix<T> c(x.m, x.n);
    this->multiply(this->fast_, x.call(), c);
    const auto result = test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, x.m, x.n);
    EXPECT_LT(test::scaled_error(x.call(), {}, result), 1.0) << scale;
  }
}

// Sums are taken in another order by the matrix unit: equal bits mean that it did not run.
TYPED_TEST(Tf32x3, TakesTheMatrixUnitAgainAfterACallThatCouldNot) {
  using T = typename TypeParam::Element;
  Operands<T> good, bad;
  bad.a.at(3, 3) = std::numeric_limits<float>::infinity();
  TestMatrix<T> c(good.m, good.n), expected(good.m, good.n), ignored(good.m, good.n);
  this->multiply(this->exact_, good.call(), expected);
  for (int round = 0; round < 3; ++round) {
    this->multiply(this->fast_, good.call(), c);
    EXPECT_GT(differences(c, expected), 0);
    const auto result =
        test::dense_op(c.data(), c.ld(), Layout::row_major, Op::none, good.m, good.n);
    EXPECT_LT(test::scaled_error(good.call(), {}, result), 1.0);
    this->multiply(this->fast_, bad.call(), ignored);
    EXPECT_FALSE(std::isfinite(std::real(ignored.at(3, 0))));
  }
}

TEST(WideKernel, ThatADriverRefusesLeavesAnotherOne) {
  if (side().limits().wide_matrix) GTEST_SKIP() << side().info().name << " takes it";
  for (const Precision precision : {Precision::s, Precision::c}) {
    const KernelParams wide = wide_tf32x3(precision);
    EXPECT_THROW(side().prepare(wide, precision, Op::none, Op::none), DeviceError);
    const auto instead = side().launchable(wide, precision);
    ASSERT_TRUE(instead.has_value());
    EXPECT_FALSE(instead->wide);
    EXPECT_EQ(violated_rule(*instead, precision, side().limits()), nullptr);
  }
}

}  // namespace
}  // namespace duoblas

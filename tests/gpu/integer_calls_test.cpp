// Products of doubles by integers as calls: the way is taken, shared with the CPU, checked, and
// left to the CPU where it is not certified.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <duoblas/context.hpp>

#include "spoiled_kernels.hpp"
#include "support/first_device.hpp"
#include "support/gemm_case.hpp"
#include "support/integer_case.hpp"

namespace duoblas::test {
namespace {

Settings by_integers(Strategy strategy) {
  Settings settings = test::by_integers(Settings::from_environment());
  settings.strategy = strategy;
  settings.check = CheckMode::always;
  settings.profile_dir.clear();
  if (strategy == Strategy::hybrid) settings.split = Share{9, 16};
  return settings;
}

template <typename T>
Front<T> through(Context& context) {
  return [&context](const Call<T>& g, T* c, std::int64_t ldc) {
    context.gemm(g.layout, g.op_a, g.op_b, g.m, g.n, g.k, g.alpha, g.a, g.lda, g.b, g.ldb, g.beta,
                 c, ldc);
  };
}

TEST(IntegerCalls, AreRightAndUseTheDevice) {
  for (const Strategy strategy : {Strategy::gpu, Strategy::hybrid}) {
    Context context(by_integers(strategy));
    for (const Layout layout : {Layout::row_major, Layout::column_major})
      for (const Op op_a : {Op::none, Op::transpose}) {
        CaseFactors factors;
        factors.layout = layout;
        factors.op_a = op_a;
        factors.op_b = layout == Layout::row_major ? Op::none : Op::transpose;
        factors.m = 90;
        factors.n = 70;
        factors.k = 110;
        factors.pad = 1;
        factors.alpha = 0.5;
        factors.beta = op_a == Op::none ? -0.25 : 0;
        expect_right<double>(factors, through<double>(context));
        EXPECT_EQ(Context::last_call().strategy, strategy);
        EXPECT_FALSE(Context::last_call().recovered);
        if (op_a == Op::transpose) factors.op_a = Op::conj_transpose;
        using Complex = std::complex<double>;
        expect_right<Complex>(factors, through<Complex>(context));
        EXPECT_EQ(Context::last_call().strategy, strategy);
        EXPECT_FALSE(Context::last_call().recovered);
      }
  }
}

TEST(IntegerCalls, AreTheSameBitsForTheSameSplit) {
  constexpr std::int64_t n = 60;
  std::vector<double> a(n * n), b(n * n), once(n * n), again(n * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<double>(i));
    b[i] = std::exp(std::cos(static_cast<double>(7 * i)) * 9);
  }
  Context context(by_integers(Strategy::hybrid));
  for (std::vector<double>* c : {&once, &again})
    context.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1.5, a.data(), n, b.data(),
                         n, 0, c->data(), n);
  EXPECT_EQ(once, again);
}

TEST(IntegerCalls, AreTheCpusWhereTheyAreNotCertified) {
  Context context(by_integers(Strategy::gpu));
  const double e = 0x1p-300, inf = HUGE_VAL;
  const std::vector<double> a = {1, e, e, 1}, b = {e, 1, 1, e};
  std::vector<double> c = {1, 1, 1, 1};
  context.gemm<double>(Layout::row_major, Op::none, Op::none, 2, 2, 2, 1, a.data(), 2, b.data(), 2,
                       0, c.data(), 2);
  EXPECT_TRUE(Context::last_call().recovered);
  EXPECT_EQ(c, (std::vector<double>{2 * e, 1, 1, 2 * e}));
  const std::vector<double> odd = {1, inf, 0, 1};
  context.gemm<double>(Layout::row_major, Op::none, Op::none, 2, 2, 2, 1, odd.data(), 2, b.data(),
                       2, 1, c.data(), 2);
  EXPECT_TRUE(Context::last_call().recovered);
  EXPECT_EQ(c, (std::vector<double>{inf, inf, 2, 3 * e}));
}

// Which is no failure of the device's: it multiplies what else there is.
TEST(IntegerCalls, OfNumbersThatAreNeverCertifiedAreTriedLessAndLess) {
  Context context(by_integers(Strategy::gpu));
  const double e = 0x1p-300;
  const std::vector<double> unsuited = {1, e, e, 1}, suited = {1, 2, 3, 4}, b = {e, 1, 1, e};
  std::vector<double> c(4);
  const auto multiply = [&](const std::vector<double>& a) {
    context.gemm<double>(Layout::row_major, Op::none, Op::none, 2, 2, 2, 1, a.data(), 2, b.data(),
                         2, 0, c.data(), 2);
    return Context::last_call();
  };
  CaseFactors other;
  other.m = other.n = other.k = 40;
  int tries = 0;
  for (int call = 0; call < 40; ++call) {
    const CallSummary did = multiply(unsuited);
    EXPECT_EQ(c, (std::vector<double>{2 * e, 1, 1, 2 * e}));
    EXPECT_EQ(did.strategy, Strategy::cpu);
    EXPECT_NE(did.reason.find(did.recovered ? "numbers do not suit" : "did not do such calls"),
              std::string::npos)
        << did.reason;
    tries += did.recovered;
    if (call % 10 > 0) continue;
    expect_right<double>(other, through<double>(context));
    EXPECT_EQ(Context::last_call().strategy, Strategy::gpu) << "products of another size";
  }
  EXPECT_EQ(tries, 7) << "three in a row, then after 2, 4, 8 and 16 calls";
  int rests = 0;
  while (rests < 50 && multiply(suited).strategy == Strategy::cpu) ++rests;
  EXPECT_EQ(rests, 29) << "of 32";
  EXPECT_EQ(multiply(suited).strategy, Strategy::gpu);
  EXPECT_TRUE(multiply(unsuited).recovered) << "it begins anew";
}

// The last modulus, of which trials know nothing: numbers of many exponents take it.
TEST(IntegerCalls, RejectAWrongModulus) {
  constexpr std::int64_t n = 40;
  std::vector<double> a(n * n, 0), b(n * n), c(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      // 66 bits beside the larger numbers of a line.
      const double value =
          std::ldexp(std::round(std::ldexp(std::sin(static_cast<double>(1 + i + 3 * j)), 50)), -50);
      a[static_cast<std::size_t>(i * n + j)] = std::ldexp(value, j % 2 == 0 ? 0 : -16);
      b[static_cast<std::size_t>(i * n + j)] = std::ldexp(value, i % 2 == 0 ? -16 : 0);
    }
  for (const bool is_spoiled : {false, true}) {
    SpoiledKernels kernels(
        "integers_numbers.clh", "197, 193, 191, 181, 179, 173};",
        is_spoiled ? "197, 193, 191, 187, 179, 173};" : "197, 193, 191, 181, 179, 173};");
    Settings settings = by_integers(Strategy::gpu);
    settings.kernel_dir = kernels.path();
    settings.cache_dir.clear();
    Context context(settings);
    for (int call = 0; call < 2; ++call) {
      context.gemm<double>(Layout::row_major, Op::none, Op::none, n, n, n, 1, a.data(), n, b.data(),
                           n, 0, c.data(), n);
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t h = 0; h < n; ++h)
          sum += a[static_cast<std::size_t>(i * n + h)] * b[static_cast<std::size_t>(h * n)];
        EXPECT_NEAR(c[static_cast<std::size_t>(i * n)], sum, 1e-18);
      }
      if (call == 0) {
        EXPECT_EQ(Context::last_call().recovered, is_spoiled);
      } else {
        EXPECT_EQ(Context::last_call().strategy, is_spoiled ? Strategy::cpu : Strategy::gpu);
      }
    }
  }
}

TEST(IntegerCalls, AreForWhoAsksForThem) {
  Settings settings = by_integers(Strategy::gpu);
  CaseFactors factors;
  factors.m = factors.n = factors.k = 40;
  settings.fp64 = Fp64Mode::native;
  Context native(settings);
  expect_right<double>(factors, through<double>(native));
  EXPECT_EQ(Context::last_call().strategy,
            test::first_device().info.has_fp64 ? Strategy::gpu : Strategy::cpu);
  // A device without doubles does it by integers, where that was not forbidden.
  settings.fp64 = Fp64Mode::automatic;
  Context automatic(settings);
  expect_right<double>(factors, through<double>(automatic));
  EXPECT_EQ(Context::last_call().strategy, Strategy::gpu);
}

}  // namespace
}  // namespace duoblas::test

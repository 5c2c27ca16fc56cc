// NaN and infinity in the operands: non-finite exactly where the CPU BLAS is.
#include <cmath>
#include <limits>

#include "conformance/forced_context.hpp"
#include "support/case_names.hpp"

namespace duoblas::test {
namespace {

template <typename T>
bool finite(const T& value) {
  if constexpr (is_complex_type<T>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(value);
  }
}

template <typename T>
void expect_same_non_finite_pattern(Context& cpu, Context& hybrid, Op op_a, Op op_b) {
  constexpr std::int64_t m = 45, n = 51, k = 39;
  TestMatrix<T> a(op_a == Op::none ? m : k, op_a == Op::none ? k : m, 2);
  TestMatrix<T> b(op_b == Op::none ? k : n, op_b == Op::none ? n : k, 2);
  a.randomise(5);
  b.randomise(6);
  const auto infinity = std::numeric_limits<Real<T>>::infinity();
  // In the first and last rows of op(A), in columns of op(B) on both sides of tile boundaries.
  a.at(0, 3) = nan_value<T>();
  a.at(a.lines() - 1, a.length() - 1) = T(infinity);
  b.at(1, 0) = T(-infinity);
  b.at(b.lines() - 1, b.length() - 1) = nan_value<T>();
  TestMatrix<T> on_cpu(m, n), on_both(m, n);
  for (auto [context, c] : {std::pair(&cpu, &on_cpu), std::pair(&hybrid, &on_both)}) {
    c->fill(nan_value<T>);
    context->gemm(Layout::row_major, op_a, op_b, m, n, k, T(1), a.data(), a.ld(), b.data(), b.ld(),
                  T(0), c->data(), c->ld());
  }
  int non_finite = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      EXPECT_EQ(finite(on_cpu.at(i, j)), finite(on_both.at(i, j))) << "at " << i << ", " << j;
      if (!finite(on_both.at(i, j))) ++non_finite;
    }
  }
  EXPECT_GT(non_finite, 0);
  EXPECT_LT(non_finite, m * n);
}

class SpecialValues : public ::testing::TestWithParam<int> {};

TEST_P(SpecialValues, AreNonFiniteWhereTheCpuBlasIsAndFiniteElsewhere) {
  Settings cpu_only = forced_settings();
  cpu_only.strategy = Strategy::cpu;
  cpu_only.split.reset();
  Context cpu(cpu_only);
  Context hybrid(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {5, 16}) {
      hybrid.set_split(Share{gpu_parts, 16});
      for (const Op op_a : {Op::none, Op::transpose}) {
        for (const Op op_b : {Op::none, Op::conj_transpose}) {
          SCOPED_TRACE(std::string(letter(op_a)) + letter(op_b) + " split " +
                       std::to_string(gpu_parts));
          expect_same_non_finite_pattern<T>(cpu, hybrid, op_a, op_b);
        }
      }
    }
  });
}

TEST_P(SpecialValues, AZeroBetaNeverReadsCAndAZeroProductOnlyScalesIt) {
  Context context(forced_settings());
  with_type(GetParam(), [&](auto zero) {
    using T = decltype(zero);
    for (const int gpu_parts : {0, 8, 16}) {
      context.set_split(Share{gpu_parts, 16});
      for (const auto layout : {Layout::row_major, Layout::column_major}) {
        for (const double beta : {0.0, 1.0, -0.7}) {
          CaseFactors no_depth;
          no_depth.layout = layout;
          no_depth.m = 33;
          no_depth.n = 18;
          no_depth.k = 0;
          no_depth.pad = 1;
          no_depth.beta = beta;
          expect_right<T>(no_depth, through<T>(context));
          CaseFactors no_alpha = no_depth;
          no_alpha.k = 21;
          no_alpha.alpha = 0;
          expect_right<T>(no_alpha, through<T>(context));
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, SpecialValues, ::testing::Range(0, 4), named_by_type);

}  // namespace
}  // namespace duoblas::test

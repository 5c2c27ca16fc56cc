// The products at which kernels are tried suit what is compiled, and reach every edge.
#include "gpu/product/covering_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose};

KernelParams tiled(bool packed) {
  KernelParams p = default_tiled(Precision::s).front();
  p.pack_a = p.pack_b = packed;
  return p;
}

template <typename Body>
void for_each_variant(Rows rows, Body&& body) {
  for (const Precision precision : all_precisions)
    for (const Op op_a : ops)
      for (const Op op_b : ops) {
        KernelVariant variant;
        variant.params = tiled(false);
        variant.precision = precision;
        variant.op_a = op_a;
        variant.op_b = op_b;
        variant.rows = rows;
        body(variant);
      }
}

TEST(CoveringProducts, HaveRowsAsTheVariantReadsThem) {
  for (const Rows rows : {Rows::whole, Rows::aligned})
    for_each_variant(rows, [&](const KernelVariant& variant) {
      const auto bytes = static_cast<std::int64_t>(element_size(variant.precision));
      for (const CoveringProduct& covering : covering_products(variant)) {
        const GemmProblem& p = covering.problem;
        EXPECT_EQ(covering.before_a * bytes % 16, 0);
        EXPECT_EQ(covering.before_b * bytes % 16, 0);
        EXPECT_EQ(p.lda * bytes % 16, 0);
        EXPECT_EQ(p.ldb * bytes % 16, 0);
        EXPECT_GE(p.lda, stored_cols_a(p));
        EXPECT_GE(p.ldb, stored_cols_b(p));
        if (rows != Rows::whole) continue;
        EXPECT_EQ(stored_cols_a(p) * bytes % 16, 0);
        EXPECT_EQ(stored_cols_b(p) * bytes % 16, 0);
      }
    });
}

TEST(CoveringProducts, OfRowsAnywhereAreAtNoMultipleOfAnything) {
  for_each_variant(Rows::anyhow, [](const KernelVariant& variant) {
    for (const CoveringProduct& covering : covering_products(variant)) {
      EXPECT_EQ(covering.before_a, 1);
      EXPECT_EQ(covering.problem.lda % 2, 1);
      EXPECT_EQ(covering.problem.ldb % 2, 1);
      EXPECT_GT(covering.problem.ldc, covering.problem.n);
    }
  });
}

TEST(CoveringProducts, ReachInnerTilesEdgesAndManySlices) {
  KernelVariant variant;
  variant.params = tiled(true);
  const std::int64_t rows = row_tile(variant.params), cols = col_tile(variant.params);
  const auto products = covering_products(normalised(variant));
  const auto any = [&](auto&& holds) {
    return std::ranges::any_of(products, [&](const auto& one) { return holds(one.problem); });
  };
  EXPECT_TRUE(any([&](const GemmProblem& p) { return p.m % rows == 0 && p.n % cols == 0; }));
  EXPECT_TRUE(any([&](const GemmProblem& p) {
    return p.m > rows && p.n > cols && p.m % rows != 0 && p.n % cols != 0;
  }));
  EXPECT_TRUE(any([](const GemmProblem& p) { return p.m * p.n * p.k == 1; }));
  EXPECT_TRUE(any([&](const GemmProblem& p) { return p.k > 3 * variant.params.k_unroll; }));
  EXPECT_TRUE(any([&](const GemmProblem& p) { return p.m > 4 * rows && p.n > 4 * cols; }));
  for (const std::complex<double> beta : {0.0, 1.0, 1.25})
    EXPECT_TRUE(any([&](const GemmProblem& p) { return p.beta == beta; })) << beta;
  EXPECT_TRUE(any([](const GemmProblem& p) { return p.alpha != 1.0; }));
}

TEST(CoveringProducts, KeepSizesThatAreCompiledIn) {
  KernelVariant variant;
  variant.params = tiled(false);
  variant.params.inline_sizes = true;
  variant.n = 321;
  variant.k = 77;
  variant.rows = Rows::anyhow;
  EXPECT_TRUE(has_products(normalised(variant)));
  const auto products = covering_products(normalised(variant));
  EXPECT_GE(products.size(), 3u);
  for (const CoveringProduct& covering : products) {
    EXPECT_EQ(covering.problem.n, 321);
    EXPECT_EQ(covering.problem.k, 77);
  }
  variant.rows = Rows::whole;
  EXPECT_FALSE(has_products(normalised(variant))) << "rows of 77 floats do not end at 16 bytes";
  variant.n = 320;
  variant.k = 76;
  EXPECT_TRUE(has_products(normalised(variant)));
}

}  // namespace
}  // namespace duoblas

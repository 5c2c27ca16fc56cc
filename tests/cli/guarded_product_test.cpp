// What the selftest believes a product by must itself see every fault.
#include "cli/selftest/guarded_product.hpp"

#include <gtest/gtest.h>

#include <complex>

namespace duoblas::cli::selftest {
namespace {

using Complex = std::complex<double>;

Complex value(const void* data, std::int64_t at, Precision precision) {
  switch (precision) {
    case Precision::s: return static_cast<const float*>(data)[at];
    case Precision::d: return static_cast<const double*>(data)[at];
    case Precision::c: return static_cast<const std::complex<float>*>(data)[at];
    case Precision::z: return static_cast<const Complex*>(data)[at];
  }
  return 0;
}

void put(void* data, std::int64_t at, Precision precision, Complex x) {
  switch (precision) {
    case Precision::s: static_cast<float*>(data)[at] = static_cast<float>(x.real()); break;
    case Precision::d: static_cast<double*>(data)[at] = x.real(); break;
    case Precision::c: static_cast<std::complex<float>*>(data)[at] = std::complex<float>(x); break;
    case Precision::z: static_cast<Complex*>(data)[at] = x; break;
  }
}

Complex element(const void* x, std::int64_t ld, Op op, std::int64_t i, std::int64_t j,
                Precision precision) {
  const Complex v = value(x, op == Op::none ? i * ld + j : j * ld + i, precision);
  return op == Op::conj_transpose ? std::conj(v) : v;
}

void multiply(const GemmProblem& p) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      Complex sum = 0;
      for (std::int64_t l = 0; l < p.k; ++l)
        sum += element(p.a, p.lda, p.op_a, i, l, p.precision) *
               element(p.b, p.ldb, p.op_b, l, j, p.precision);
      Complex result = p.alpha * sum;
      if (!p.overwrites_c()) result += p.beta * value(p.c, i * p.ldc + j, p.precision);
      put(p.c, i * p.ldc + j, p.precision, result);
    }
  }
}

const MemoryKind all_kinds[] = {MemoryKind::heap,          MemoryKind::pages,
                                MemoryKind::shared_pages,  MemoryKind::memory_file,
                                MemoryKind::file_private,  MemoryKind::file_shared,
                                MemoryKind::file_read_only};

TEST(GuardedProduct, IsRightWhereItWasMultiplied) {
  for (const Precision precision : all_precisions) {
    for (const auto& [op_a, op_b] : all_ops(precision)) {
      for (const ProductCase& each : edge_cases(precision, op_a, op_b)) {
        GuardedProduct product(each);
        multiply(product.problem());
        EXPECT_TRUE(product.check().right()) << describe(each) << ": " << product.check().text();
      }
    }
  }
}

TEST(GuardedProduct, IsWrongWhereNothingWasDone) {
  for (const Precision precision : all_precisions)
    for (const ProductCase& each : edge_cases(precision, Op::none, Op::none))
      EXPECT_GT(GuardedProduct(each).check().error, 1) << describe(each);
}

TEST(GuardedProduct, SeesOneWrongElement) {
  for (const ProductCase& each : edge_cases(Precision::s, Op::none, Op::transpose)) {
    GuardedProduct product(each);
    const GemmProblem& p = product.problem();
    multiply(p);
    static_cast<float*>(p.c)[(p.m - 1) * p.ldc + p.n - 1] += 0.01f;
    EXPECT_GT(product.check().error, 1) << describe(each);
  }
}

TEST(GuardedProduct, SeesAWriteBetweenRowsBeforeAndBehind) {
  ProductCase each = edge_cases(Precision::s, Op::none, Op::none).front();
  GuardedProduct product(each);
  const GemmProblem& p = product.problem();
  auto* c = static_cast<float*>(p.c);
  for (const std::int64_t at : {p.n, std::int64_t{-1}, (p.m - 1) * p.ldc + p.n}) {
    product.reset();
    multiply(p);
    ASSERT_TRUE(product.check().rest_intact);
    c[at] = 17;
    EXPECT_FALSE(product.check().rest_intact) << at;
    EXPECT_FALSE(product.check().right());
  }
}

TEST(GuardedProduct, LivesInMemoryOfEachKind) {
  for (const MemoryKind kind : all_kinds) {
    ProductCase each = edge_cases(Precision::s, Op::none, Op::none).front();
    each.memory = kind;
    GuardedProduct product(each);
    multiply(product.problem());
    EXPECT_TRUE(product.check().right()) << name(kind);
  }
}

}  // namespace
}  // namespace duoblas::cli::selftest

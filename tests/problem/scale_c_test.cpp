// C = beta C without a product.
#include "problem/scale_c.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "problem/partition.hpp"

namespace duoblas {
namespace {

TEST(ScaleC, WritesZerosOverAnythingWhereBetaIsZeroAndLeavesTheGaps) {
  std::vector<double> c(12, std::nan(""));
  c[3] = c[7] = c[11] = 5;
  scale_c({.precision = Precision::d, .m = 3, .n = 3, .beta = 0.0, .c = c.data(), .ldc = 4});
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], i % 4 == 3 ? 5 : 0);
}

TEST(ScaleC, MultipliesComplexNumbersAsBlasDefinesIt) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<std::complex<float>> c = {{1, 2}, {infinity, 0}};
  scale_c({.precision = Precision::c, .m = 1, .n = 2, .beta = {0.0, 1.0}, .c = c.data(), .ldc = 2});
  EXPECT_EQ(c[0], std::complex<float>(-2, 1));
  EXPECT_TRUE(std::isnan(c[1].real())) << "0 * infinity is not repaired";
  EXPECT_EQ(c[1].imag(), infinity);
}

TEST(ScaleC, DoesNothingWhereBetaIsOne) {
  std::vector<float> c = {1, std::numeric_limits<float>::quiet_NaN()};
  scale_c({.precision = Precision::s, .m = 1, .n = 2, .beta = 1.0, .c = c.data(), .ldc = 2});
  EXPECT_EQ(c[0], 1);
  EXPECT_TRUE(std::isnan(c[1]));
}

TEST(RowsOfC, AreABlockWithoutOperands) {
  std::vector<double> c(40);
  const GemmProblem whole{.precision = Precision::d, .m = 8, .n = 3, .c = c.data(), .ldc = 5};
  const GemmProblem rows = block_of(whole, {2, 4}, {0, 3}, {0, 0});
  EXPECT_EQ(rows.m, 4);
  EXPECT_EQ(rows.n, 3);
  EXPECT_EQ(rows.c, c.data() + 10);
}

}  // namespace
}  // namespace duoblas

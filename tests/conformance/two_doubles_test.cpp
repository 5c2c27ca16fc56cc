// The reference's sums where long double is slow: what doubles lose is kept, of products and of
// sums.
#include "support/two_doubles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace duoblas::test {
namespace {

TEST(TwoDoubles, KeepWhatTheRoundingOfAProductLoses) {
  TwoDoubles sum;
  sum.add(1 + 0x1p-30, 1 + 0x1p-30);
  sum.add(-1, 1);
  sum.add(-0x1p-29, 1);
  EXPECT_EQ(sum.value(), 0x1p-60);
}

TEST(TwoDoubles, KeepWhatALargerSumLoses) {
  TwoDoubles sum;
  for (const double term : {0x1p60, 1.0, -0x1p60}) sum.add(term, 1);
  EXPECT_EQ(sum.value(), 1);
}

TEST(TwoDoubles, AreInfiniteWhereASumIs) {
  TwoDoubles sum;
  for (const double term : {1.0, std::numeric_limits<double>::infinity(), 1.0}) sum.add(term, 1);
  EXPECT_EQ(sum.value(), std::numeric_limits<long double>::infinity());
  sum.add(-std::numeric_limits<double>::infinity(), 1);
  EXPECT_TRUE(std::isnan(sum.value()));
}

TEST(TwoDoubles, MultiplyComplexMatricesOntoWhatIsThere) {
  using Wide = std::complex<long double>;
  const std::vector<Wide> a = {{1, 2}, {0x1p60, 0}, {3, -1}, {0, 1}};  // 2 x 2
  const std::vector<Wide> b = {{5, 7}, {0, 1}};                        // 2 x 1
  std::vector<Wide> c = {{0, -0x1p60}, {100, 0}};
  add_product_in_two_doubles<std::complex<double>>(a, b, 2, 1, 2, c);
  EXPECT_EQ(c[0], Wide(-9, 17));
  EXPECT_EQ(c[1], Wide(121, 16));
}

}  // namespace
}  // namespace duoblas::test

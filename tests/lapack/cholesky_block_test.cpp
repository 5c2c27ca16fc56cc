// Cholesky of one block, against a reference.
#include "cpu/cholesky_block.hpp"

#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

template <typename T>
void expect_right(std::int64_t n, Uplo uplo) {
  SCOPED_TRACE(std::to_string(n) + (uplo == Uplo::lower ? " lower" : " upper"));
  Definite<T> matrix(n, uplo, 3, 5);
  CholeskyBlock block(precision_of<T>, uplo, n + 5);
  EXPECT_EQ(block.factorise(matrix.stored.data(), matrix.stored.ld(), n), 0);
  EXPECT_LT(matrix.error(), most_error);
  EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
  EXPECT_TRUE(matrix.stored.guards_untouched());
}

TEST(CholeskyBlock, IsRightForEverySizeAndTriangle) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const std::int64_t n : {1, 5, 16, 33, 128}) {
      expect_right<double>(n, uplo);
      expect_right<float>(n, uplo);
    }
}

TEST(CholeskyBlock, SaysTheFirstMinorThatIsNotPositive) {
  for (const Uplo uplo : {Uplo::lower, Uplo::upper})
    for (const double wrong : {-1.0, 0.0, nan_value<double>()})
      for (const std::int64_t at : {0, 17, 39}) {
        Definite<double> matrix(40, uplo, 0, 5);
        matrix.whole.at(at, at) = wrong;
        matrix.store();
        CholeskyBlock block(Precision::d, uplo, 40);
        EXPECT_EQ(block.factorise(matrix.stored.data(), matrix.stored.ld(), 40), at + 1);
        EXPECT_TRUE(matrix.other_triangle_is_as_it_was());
      }
}

}  // namespace
}  // namespace duoblas::test

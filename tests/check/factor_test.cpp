// Chains of factors: their products, adjoints, rows and solutions, against the dense matrix.
#include "check/factor.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "check/plain_threads.hpp"

namespace duoblas::test {
namespace {

template <typename T>
class ChainOf : public testing::Test {
 protected:
  using W = Wide<T>;
  static constexpr std::int64_t size = 23, ld = 26;

  ChainOf() {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (T& value : data) {
      value = static_cast<PartOf<T>>(draw(engine));
      if constexpr (!is_real<T>) value.imag(static_cast<PartOf<T>>(draw(engine)));
    }
    for (std::int64_t i = 0; i < size; ++i) {
      data[index(i * ld + i)] += T(4);
      pivots[index(i)] = static_cast<std::int32_t>(size - (size - 1 - i) / 2);
      x.values[index(i)] = draw(engine);
      x.sizes[index(i)] = std::abs(x.values[index(i)]);
    }
  }
  MatrixFactor<T> matrix() const { return {data.data(), ld, size, size}; }
  MatrixFactor<T> triangle(Uplo uplo, Diag diag) const {
    MatrixFactor<T> part = matrix();
    part.shape = Shape::triangular;
    part.uplo = uplo;
    part.diag = diag;
    return part;
  }
  Chain<T> lower_upper() const {
    return {Permutation{pivots.data(), size, true}, triangle(Uplo::lower, Diag::unit),
            triangle(Uplo::upper, Diag::non_unit)};
  }
  static void expect_near(const std::vector<W>& is, const std::vector<W>& should_be) {
    ASSERT_EQ(is.size(), should_be.size());
    for (std::size_t i = 0; i < is.size(); ++i)
      EXPECT_NEAR(std::abs(is[i] - should_be[i]), 0, 1e-11) << i;
  }
  /// By at(), element by element.
  static SizedVector<T> dense_product(const MatrixFactor<T>& m, const SizedVector<T>& v) {
    SizedVector<T> sums(size);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < size; ++j)
        sums.add(i, m.at(i, j) * v.values[index(j)], std::abs(m.at(i, j)) * v.sizes[index(j)]);
    return sums;
  }

  std::vector<T> data = std::vector<T>(ld * size);
  std::vector<std::int32_t> pivots = std::vector<std::int32_t>(size);
  SizedVector<T> x{size};
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ChainOf, Types);

TYPED_TEST(ChainOf, MultipliesByWhatIsStored) {
  for (const Shape shape : {Shape::general, Shape::triangular, Shape::hermitian})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const bool turned : {false, true}) {
        MatrixFactor<TypeParam> m = this->triangle(uplo, Diag::non_unit);
        m.shape = shape;
        m.turned = m.conjugated = turned;
        m.real_diagonal = shape == Shape::hermitian;
        const auto sums = product<TypeParam>({m}, this->x, Sizes::magnitudes, threads_of(turned));
        const auto should_be = this->dense_product(m, this->x);
        this->expect_near(sums.values, should_be.values);
        for (std::size_t i = 0; i < sums.sizes.size(); ++i)
          EXPECT_NEAR(sums.sizes[i], should_be.sizes[i], 1e-11);
      }
}

TYPED_TEST(ChainOf, HasTheRowsOfItsProduct) {
  const Chain<TypeParam> chain = this->lower_upper();
  const auto sums = product(chain, this->x, Sizes::magnitudes);
  for (std::int64_t i = 0; i < this->size; ++i) {
    const auto row = adjoint_of_row(chain, i, this->size, Sizes::magnitudes);
    Wide<TypeParam> sum = 0;
    double of_sizes = 0;
    for (std::size_t j = 0; j < row.values.size(); ++j) {
      sum += conjugate(row.values[j]) * this->x.values[j];
      of_sizes += row.sizes[j] * this->x.sizes[j];
    }
    EXPECT_NEAR(std::abs(sum - sums.values[index(i)]), 0, 1e-11);
    EXPECT_NEAR(of_sizes, sums.sizes[index(i)], 1e-11);
  }
}

TYPED_TEST(ChainOf, IsSolvedFromEitherSide) {
  for (const Chain<TypeParam>& chain :
       {this->lower_upper(), adjoint<TypeParam>(this->lower_upper())}) {
    auto solution = product(chain, this->x, Sizes::none).values;
    solve(chain, solution);
    for (std::size_t i = 0; i < solution.size(); ++i)
      EXPECT_NEAR(std::abs(solution[i] - this->x.values[i]), 0, 1e-9) << i;
  }
}

TYPED_TEST(ChainOf, ReflectsBackWhatItReflected) {
  // 2 / |v|^2, so that each is a reflection.
  std::vector<TypeParam> tau(this->size);
  for (std::int64_t k = 0; k < this->size; ++k) {
    double square = 1;
    for (std::int64_t i = k + 1; i < this->size; ++i)
      square += std::norm(Wide<TypeParam>(this->data[index(k * this->ld + i)]));
    tau[index(k)] = static_cast<PartOf<TypeParam>>(2 / square);
  }
  const Reflectors<TypeParam> q{this->data.data(), this->ld, this->size, this->size, tau.data()};
  const Chain<TypeParam> chain = {q};
  const auto back =
      product(adjoint<TypeParam>(chain), product(chain, this->x, Sizes::none), Sizes::none);
  // tau is rounded to its type.
  const double bound = this->size * 16 * std::numeric_limits<PartOf<TypeParam>>::epsilon();
  for (std::size_t i = 0; i < back.values.size(); ++i)
    EXPECT_NEAR(std::abs(back.values[i] - this->x.values[i]), 0, bound) << i;
}

// A line that is not finite does not reach those that do not contain it.
TEST(Chain, ReadsNoFactorBehindATriangle) {
  std::vector<double> data = {1, 2, 3, 4};  // by columns
  data[3] = std::numeric_limits<double>::infinity();
  MatrixFactor<double> lower{data.data(), 2, 2, 2, Shape::triangular, Uplo::lower, Diag::unit};
  MatrixFactor<double> upper{data.data(), 2, 2, 2, Shape::triangular, Uplo::upper};
  const auto row = adjoint_of_row<double>({lower, upper}, 0, 2, Sizes::magnitudes);
  EXPECT_EQ(row.values, (std::vector<double>{1, 3}));
}

}  // namespace
}  // namespace duoblas::test

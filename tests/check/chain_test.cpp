// Matrices and chains of factors: their products, adjoints, rows and solutions, against the dense
// matrix.
#include "check/chain.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "check/plain_threads.hpp"
#include "problem/element_types.hpp"

namespace duoblas::test {
namespace {

template <typename T>
class ChainOf : public testing::Test {
 protected:
  using R = PartOf<T>;
  static constexpr std::int64_t size = 23, ld = 26;
  static constexpr int parts = is_real<T> ? 1 : 2;

  ChainOf() {
    for (T& value : data) {
      value = static_cast<R>(draw());
      if constexpr (!is_real<T>) value.imag(static_cast<R>(draw()));
    }
    for (std::int64_t i = 0; i < size; ++i) {
      data[index(i * ld + i)] += T(4);
      pivots[index(i)] = static_cast<std::int32_t>(size - (size - 1 - i) / 2);
    }
  }
  double draw() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  Vectors drawn(std::int64_t elements, int vectors = 1) {
    Vectors x(elements, parts, vectors);
    for (std::int64_t i = 0; i < elements; ++i) {
      for (int which = 0; which < vectors; ++which)
        x.set(i, {draw(), parts == 2 ? draw() : 0}, which);
      x.sizes[index(i)] = std::abs(draw());
    }
    return x;
  }
  /// By columns.
  StoredMatrix<R> matrix() const {
    return StoredMatrix<R>{reinterpret_cast<const R*>(data.data()), size, size, ld, parts}
        .transposed();
  }
  StoredMatrix<R> triangle(Uplo uplo, Diag diag) const {
    StoredMatrix<R> part = matrix();
    part.shape = MatrixShape::triangular;
    part.uplo = uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
    part.diag = diag;
    return part;
  }
  Chain<R> lower_upper() const {
    return {Permutation{pivots.data(), size, true}, triangle(Uplo::lower, Diag::unit),
            triangle(Uplo::upper, Diag::non_unit)};
  }
  static void expect_near(const Vectors& is, const Vectors& should_be, double bound = 1e-11) {
    ASSERT_EQ(is.elements(), should_be.elements());
    ASSERT_EQ(is.count, should_be.count);
    for (int which = 0; which < is.count; ++which)
      for (std::int64_t i = 0; i < is.elements(); ++i)
        EXPECT_NEAR(std::abs(is.at(i, which) - should_be.at(i, which)), 0, bound) << i;
  }
  static void expect_near_sizes(const Vectors& is, const Vectors& should_be) {
    for (std::size_t i = 0; i < is.sizes.size(); ++i)
      EXPECT_NEAR(is.sizes[i], should_be.sizes[i], 1e-11) << i;
  }
  /// By at(), element by element.
  static Vectors dense_product(const StoredMatrix<R>& m, const Vectors& v, Sizes sizes) {
    Vectors sums(m.lines(), parts, v.count);
    for (std::int64_t i = 0; i < m.lines(); ++i)
      for (std::int64_t j = 0; j < m.length(); ++j) {
        const std::complex<double> element = m.at(i, j);
        for (int which = 0; which < v.count; ++which)
          sums.set(i, sums.at(i, which) + multiplied(element, v.at(j, which)), which);
        if (sizes != Sizes::none)
          sums.sizes[index(i)] += v.sizes[index(j)] * (sizes == Sizes::squares ? std::norm(element)
                                                                               : one_norm(element));
      }
    return sums;
  }

  std::mt19937_64 engine{3};
  std::vector<T> data = std::vector<T>(ld * size);
  std::vector<std::int32_t> pivots = std::vector<std::int32_t>(size);
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ChainOf, Types);

// All of it, and parts with more rows than columns or fewer.
TYPED_TEST(ChainOf, MultipliesByWhatIsStored) {
  for (const MatrixShape shape : {MatrixShape::general, MatrixShape::triangular,
                                  MatrixShape::symmetric, MatrixShape::hermitian})
    for (const Uplo uplo : {Uplo::lower, Uplo::upper})
      for (const Diag diag : {Diag::non_unit, Diag::unit})
        for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
          for (const Sizes sizes : {Sizes::none, Sizes::magnitudes, Sizes::squares})
            for (const std::int64_t fewer : {0, 1, 7}) {
              auto m = this->triangle(uplo, diag);
              m.shape = shape;
              m.real_diagonal = shape == MatrixShape::hermitian;
              if (!m.is_whole()) m = fewer == 7 ? m.steps_from(0, 16) : m.lines_from(0, 23 - fewer);
              m = m.with(op);
              for (const int vectors : {1, 2}) {
                const Vectors x = this->drawn(m.length(), vectors);
                const Vectors sums = times(m, x, sizes, threads_of(vectors));
                const Vectors should_be = this->dense_product(m, x, sizes);
                this->expect_near(sums, should_be);
                this->expect_near_sizes(sums, should_be);
              }
            }
}

TYPED_TEST(ChainOf, SumsEvenAndOddColumnsApart) {
  const std::vector<std::int64_t> left_out = {4, 7};
  for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
    const auto m = this->matrix().with(op);
    Vectors x(this->size, 1), halves(this->size, this->parts, 2);
    for (std::int64_t j = 0; j < this->size; ++j) {
      if (j == 4 || j == 7) continue;
      x.values[0][index(j)] = this->draw();
      x.sizes[index(j)] = std::abs(x.values[0][index(j)]);
    }
    for (int half = 0; half < 2; ++half) {
      Vectors of_half(this->size, this->parts);
      for (std::int64_t j = half; j < this->size; j += 2) {
        of_half.set(j, x.at(j));
        of_half.sizes[index(j)] = x.sizes[index(j)];
      }
      const Vectors sum = this->dense_product(m, of_half, Sizes::magnitudes);
      halves.values[index(half)] = sum.values[0];
      for (std::size_t i = 0; i < sum.sizes.size(); ++i) halves.sizes[i] += sum.sizes[i];
    }
    const Vectors sums = times_in_halves(m, x, left_out, Sizes::magnitudes, threads_of(1));
    this->expect_near(sums, halves);
    this->expect_near_sizes(sums, halves);
  }
}

TYPED_TEST(ChainOf, HasTheRowsOfItsProduct) {
  const auto chain = this->lower_upper();
  const Vectors x = this->drawn(this->size), sums = product(chain, x, Sizes::magnitudes);
  for (std::int64_t i = 0; i < this->size; ++i) {
    const Vectors row = adjoint_of_row(chain, i, this->size, this->parts, Sizes::magnitudes);
    std::complex<double> sum = 0;
    double of_sizes = 0;
    for (std::int64_t j = 0; j < row.elements(); ++j) {
      sum += std::conj(row.at(j)) * x.at(j);
      of_sizes += row.sizes[index(j)] * x.sizes[index(j)];
    }
    EXPECT_NEAR(std::abs(sum - sums.at(i)), 0, 1e-11);
    EXPECT_NEAR(of_sizes, sums.sizes[index(i)], 1e-11);
  }
}

TYPED_TEST(ChainOf, IsSolvedFromEitherSide) {
  const auto given = this->lower_upper();
  for (const auto& chain : {given, adjoint(given)}) {
    const Vectors x = this->drawn(this->size);
    Vectors solution = product(chain, x, Sizes::none);
    solve(chain, solution);
    this->expect_near(solution, x, 1e-9);
  }
}

TYPED_TEST(ChainOf, ReflectsBackWhatItReflected) {
  using R = PartOf<TypeParam>;
  // 2 / |v|^2, so that each is a reflection.
  std::vector<TypeParam> tau(this->size);
  for (std::int64_t k = 0; k < this->size; ++k) {
    double square = 1;
    for (std::int64_t i = k + 1; i < this->size; ++i)
      square += std::norm(std::complex<double>(this->data[index(k * this->ld + i)]));
    tau[index(k)] = static_cast<R>(2 / square);
  }
  const Reflectors<R> q{this->matrix(), reinterpret_cast<const R*>(tau.data())};
  const Chain<R> chain = {q};
  const Vectors x = this->drawn(this->size);
  const Vectors back = product(adjoint(chain), product(chain, x, Sizes::none), Sizes::none);
  // tau is rounded to its type.
  this->expect_near(back, x, this->size * 16 * std::numeric_limits<R>::epsilon());
}

// A line that is not finite does not reach those that do not contain it.
TEST(Chain, ReadsNoFactorBehindATriangle) {
  std::vector<double> data = {1, 2, 3, 4};  // by columns
  data[3] = std::numeric_limits<double>::infinity();
  StoredMatrix<double> lower = StoredMatrix<double>{data.data(), 2, 2, 2}.transposed(),
                       upper = lower;
  lower.shape = upper.shape = MatrixShape::triangular;
  lower.uplo = Uplo::upper;  // as it lies in rows
  lower.diag = Diag::unit;
  upper.uplo = Uplo::lower;
  const Vectors row = adjoint_of_row<double>({lower, upper}, 0, 2, 1, Sizes::magnitudes);
  EXPECT_EQ(row.values[0], (std::vector<double>{1, 3}));
}

}  // namespace
}  // namespace duoblas::test

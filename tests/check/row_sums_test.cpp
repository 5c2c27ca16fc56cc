// Sums by vector loops are those of plain ones.
#include "check/row_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace duoblas {
namespace {

template <typename R>
struct RowSumsOf : testing::Test {
  std::mt19937_64 engine{3};

  template <typename V>
  std::vector<V> numbers(std::size_t count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<V> all(count);
    for (V& value : all) value = static_cast<V>(uniform(engine));
    return all;
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RowSumsOf, Reals);

TYPED_TEST(RowSumsOf, DotsAreThoseOfPlainLoops) {
  using R = TypeParam;
  for (const RowSums<R>* sums : row_sums_that_run<R>())
    for (const std::size_t count : {0, 1, 2, 7, 8, 15, 16, 17, 31, 512, 513, 1000, 2049}) {
      const auto row = this->template numbers<R>(count);
      const auto weights = this->template numbers<double>(count);
      const auto others = this->template numbers<double>(count);
      auto magnitudes = weights;
      for (double& value : magnitudes) value = std::abs(value);
      double places[4] = {}, first = 0, second = 0, magnitude = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(row[i]);
        places[i % 4] += value * weights[i];
        first += value * weights[i];
        second += value * others[i];
        magnitude += std::abs(value) * magnitudes[i];
      }
      const auto length = static_cast<std::int64_t>(count);
      const RowSum plain = sums->dot(row.data(), weights.data(), length);
      const RowSum both = sums->dot_and_magnitude(row.data(), weights.data(), length);
      const TwoRowSums two =
          sums->two_dots(row.data(), weights.data(), others.data(), magnitudes.data(), length);
      for (int place = 0; place < 4; ++place) {
        EXPECT_NEAR(plain.places[place], places[place], 1e-12) << count;
        EXPECT_NEAR(both.places[place], places[place], 1e-12) << count;
      }
      EXPECT_NEAR(both.magnitude, magnitude, 1e-12 * magnitude) << count;
      EXPECT_NEAR(two.first, first, 1e-12) << count;
      EXPECT_NEAR(two.second, second, 1e-12) << count;
      EXPECT_NEAR(two.magnitude, magnitude, 1e-12 * magnitude) << count;
    }
}

TYPED_TEST(RowSumsOf, AddedRowsAreThoseOfPlainLoops) {
  using R = TypeParam;
  for (const RowSums<R>* version : row_sums_that_run<R>())
    for (const std::size_t count : {1, 7, 8, 9, 100}) {
      std::vector<std::vector<R>> rows;
      const R* starts[rows_added_at_once];
      for (auto& start : starts) start = rows.emplace_back(this->template numbers<R>(count)).data();
      const auto weights = this->template numbers<double>(rows_added_at_once);
      const std::vector<double> magnitudes = {1, 2, 3, 4};
      std::vector<double> sums(count, 0.5), of_magnitudes(count, 0.25);
      version->add_rows(starts, weights.data(), magnitudes.data(), static_cast<std::int64_t>(count),
                        sums.data(), of_magnitudes.data());
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0.5, magnitude = 0.25;
        for (std::size_t r = 0; r < rows_added_at_once; ++r) {
          sum += static_cast<double>(rows[r][i]) * weights[r];
          magnitude += std::abs(static_cast<double>(rows[r][i])) * magnitudes[r];
        }
        EXPECT_NEAR(sums[i], sum, 1e-14);
        EXPECT_NEAR(of_magnitudes[i], magnitude, 1e-14);
      }
    }
}

TYPED_TEST(RowSumsOf, SquaresAreThoseOfPlainLoops) {
  using R = TypeParam;
  for (const RowSums<R>* version : row_sums_that_run<R>())
    for (const std::size_t count : {1, 7, 8, 9, 31, 100}) {
      const auto row = this->template numbers<R>(count);
      const auto weights = this->template numbers<double>(count);
      std::vector<double> sums(count, 0.5), squares(count, 0.25);
      const auto length = static_cast<std::int64_t>(count);
      version->add_with_squares(row.data(), 3, 2, length, sums.data(), squares.data());
      double whole = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(row[i]);
        EXPECT_NEAR(sums[i], 0.5 + 3 * value, 1e-14);
        EXPECT_NEAR(squares[i], 0.25 + 2 * value * value, 1e-14);
        whole += weights[i] * value * value;
      }
      EXPECT_NEAR(version->dot_of_squares(row.data(), weights.data(), length), whole, 1e-13);
    }
}

TYPED_TEST(RowSumsOf, MaximaKnowWhatIsNotFinite) {
  using R = TypeParam;
  constexpr R infinity = std::numeric_limits<R>::infinity();
  for (const RowSums<R>* sums : row_sums_that_run<R>())
    for (const std::size_t count : {1, 8, 11, 40}) {
      const auto length = static_cast<std::int64_t>(count);
      const auto row = this->template numbers<R>(count);
      std::vector<R> maxima(count, R(0.5));
      sums->column_maxima(row.data(), length, maxima.data());
      R largest = 0;
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(maxima[i], std::max(R(0.5), std::abs(row[i])));
        largest = std::max(largest, std::abs(row[i]));
      }
      EXPECT_EQ(sums->maximum(row.data(), length), largest);
      for (std::size_t i = 0; i < count; ++i)
        for (const R special : {-infinity, std::numeric_limits<R>::quiet_NaN()}) {
          auto spoilt = row;
          spoilt[i] = special;
          EXPECT_FALSE(std::isfinite(sums->maximum(spoilt.data(), length)));
        }
    }
}

}  // namespace
}  // namespace duoblas

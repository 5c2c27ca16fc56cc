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

template <typename R>
double size_of(R element, Sizes sizes) {
  const auto value = std::abs(static_cast<double>(element));
  return sizes == Sizes::none ? 0 : sizes == Sizes::squares ? value * value : value;
}
constexpr Sizes all_sizes[] = {Sizes::none, Sizes::magnitudes, Sizes::squares};

TYPED_TEST(RowSumsOf, DotsAreThoseOfPlainLoops) {
  using R = TypeParam;
  for (const RowSums<R>* sums : row_sums_that_run<R>())
    for (const std::size_t count : {0, 1, 2, 7, 8, 15, 16, 17, 31, 512, 513, 1000, 2049})
      for (const Sizes sizes : all_sizes) {
        const auto row = this->template numbers<R>(count);
        const auto weights = this->template numbers<double>(count);
        const auto others = this->template numbers<double>(count);
        auto of_sizes = this->template numbers<double>(count);
        for (double& value : of_sizes) value = std::abs(value);
        RowSum plain;
        double of_products = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const auto value = static_cast<double>(row[i]);
          plain.places[0][i % 4] += value * weights[i];
          plain.places[1][i % 4] += value * others[i];
          plain.size += size_of(row[i], sizes) * of_sizes[i];
          of_products += std::abs(value * weights[i]);
        }
        const auto length = static_cast<std::int64_t>(count);
        const double* const unused = nullptr;
        const RowSum one = sums->dots[0][place_of(sizes)](row.data(), weights.data(), unused,
                                                          of_sizes.data(), length);
        const RowSum two = sums->dots[1][place_of(sizes)](row.data(), weights.data(), others.data(),
                                                          of_sizes.data(), length);
        const RowSum own =
            sums->dot_and_magnitude(row.data(), weights.data(), unused, unused, length);
        for (int place = 0; place < 4; ++place) {
          EXPECT_NEAR(one.places[0][place], plain.places[0][place], 1e-12) << count;
          EXPECT_NEAR(own.places[0][place], plain.places[0][place], 1e-12) << count;
          for (int set = 0; set < 2; ++set)
            EXPECT_NEAR(two.places[set][place], plain.places[set][place], 1e-12) << count;
        }
        EXPECT_NEAR(one.size, plain.size, 1e-12 * plain.size) << count;
        EXPECT_NEAR(two.size, plain.size, 1e-12 * plain.size) << count;
        EXPECT_NEAR(own.size, of_products, 1e-12 * of_products) << count;
      }
}

TYPED_TEST(RowSumsOf, AddedRowsAreThoseOfPlainLoops) {
  using R = TypeParam;
  for (const RowSums<R>* version : row_sums_that_run<R>())
    for (const std::size_t count : {1, 7, 8, 9, 100})
      for (const Sizes sizes : all_sizes) {
        std::vector<std::vector<R>> rows;
        const R* starts[rows_added_at_once];
        for (auto& start : starts)
          start = rows.emplace_back(this->template numbers<R>(count)).data();
        const auto weights = this->template numbers<double>(rows_added_at_once);
        const std::vector<double> of_rows = {1, 2, 3, 4};
        std::vector<double> sums(count, 0.5), of_sizes(count, 0.25);
        version->add_rows[place_of(sizes)](starts, weights.data(), of_rows.data(),
                                           static_cast<std::int64_t>(count), sums.data(),
                                           of_sizes.data());
        for (std::size_t i = 0; i < count; ++i) {
          double sum = 0.5, size = 0.25;
          for (std::size_t r = 0; r < rows_added_at_once; ++r) {
            sum += static_cast<double>(rows[r][i]) * weights[r];
            size += size_of(rows[r][i], sizes) * of_rows[r];
          }
          EXPECT_NEAR(sums[i], sum, 1e-14);
          EXPECT_NEAR(of_sizes[i], size, 1e-14);
        }
        std::vector<double> one(count, 1.0);
        version->add_row(starts[0], 2, static_cast<std::int64_t>(count), one.data());
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_NEAR(one[i], 1 + 2 * static_cast<double>(rows[0][i]), 1e-14);
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

#include "check/product_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/element_judge.hpp"
#include "check/kept_memory.hpp"
#include "check/stored_matrix.hpp"
#include "check/suspect_row.hpp"
#include "timing/thread_clock.hpp"

namespace duoblas {
namespace {

constexpr std::size_t index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// A threshold in units of what rounding errors of random signs add up to at most in the mean; with
// 2, four of some four million right rows of ordinary numbers were suspected (right_products, Xeon;
// docs/measurements.md).
constexpr double suspicious = 2;
// Of doubles the check's own errors count as well, in the same units. With 3, one to three percent
// of right rows were suspected at k = 1, with 8 three in ten thousand.
template <typename R>
constexpr double of_own_sums = std::is_same_v<R, double> ? 8 : 0;
// Columns that one sum takes, per step of k: an element's own bound grows with k, the errors of the
// others with the square root of their number.
constexpr std::int64_t columns_per_step = 64;
// Rows that tell how large the numbers of a column are.
constexpr std::int64_t sampled_rows = 32;
// Rows that are looked at before the check takes the data for the cause.
constexpr std::int64_t most_rows = 64, most_share = 16;

// Columns of C that are summed up, and what that should give.
struct Chunk {
  std::int64_t first = 0, columns = 0;
  WeightVector x;
  std::vector<std::int64_t> left_out;  // infinite columns of B, counted from `first`
  // Of even columns and of odd ones: equal errors of neighbours do not cancel in both.
  std::array<std::vector<double>, 2> expected;  // m rows, by parts
  std::vector<double> allowed;                  // m rows
};

}  // namespace

struct ProductCheck::Body {
  virtual ~Body() = default;
  virtual void predict() = 0;
  virtual CheckVerdict compare() const = 0;
  virtual void restore_c() const noexcept = 0;
};

namespace {

template <typename R>
class TypedCheck : public ProductCheck::Body {
 public:
  TypedCheck(const GemmProblem& product, std::uint64_t seed, double slack)
      : p_(product),
        parts_(is_complex(product.precision) ? 2 : 1),
        rounding_(product, slack),
        slack_(slack),
        seed_(seed),
        a_(stored_a<R>(p_)),
        b_(stored_b<R>(p_)),
        c_(stored_c<R>(p_)) {
    if (!p_.overwrites_c()) keep_c();
  }

  void predict() override {
    const std::int64_t width = columns_per_step * (p_.k + 2);
    std::mt19937_64 engine(seed_);
    for (std::int64_t first = 0; first < p_.n; first += width) {
      Chunk chunk;
      chunk.first = first;
      chunk.columns = std::min(width, p_.n - first);
      draw(chunk, engine, false);
      TwoVectors y = product_with_b(chunk);
      if (!is_finite(y)) {  // a column of B is not, and which one only all of B tells
        chunk.left_out.clear();
        draw(chunk, engine, true);
        y = product_with_b(chunk);
      }
      predict(chunk, y);
      chunks_.push_back(std::move(chunk));
    }
  }

  CheckVerdict compare() const override {
    CheckVerdict verdict;
    std::vector<std::pair<double, std::int64_t>> suspects = suspected_rows();
    verdict.suspected_rows = static_cast<std::int64_t>(suspects.size());
    std::ranges::sort(suspects, std::greater());
    const std::size_t looked_at =
        std::min(suspects.size(), index(std::max(most_rows, p_.m / most_share)));
    verdict.gave_up = looked_at < suspects.size();
    for (std::size_t i = 0; i < looked_at && !verdict.wrong; ++i)
      verdict.wrong = wrong_in_row(p_, c0_, rounding_, suspects[i].second);
    return verdict;
  }

  void restore_c() const noexcept override {
    if (c0_ == nullptr) return;
    for (std::int64_t i = 0; i < p_.m; ++i)
      std::memcpy(static_cast<R*>(p_.c) + i * p_.ldc * parts_, c0_ + i * p_.n * parts_,
                  row_bytes());
  }

 private:
  StoredMatrix<R> old_c() const { return {c0_, p_.m, p_.n, p_.n, parts_}; }
  std::size_t row_bytes() const { return index(p_.n * parts_) * sizeof(R); }

  void keep_c() {
    kept_ = KeptMemory(index(p_.m) * row_bytes());
    auto* const old = static_cast<R*>(kept_.data());
    for (std::int64_t i = 0; i < p_.m; ++i)
      std::memcpy(old + i * p_.n * parts_, c_.row(i), row_bytes());
    c0_ = old;
  }

  StoredMatrix<R> b_of(const Chunk& chunk) const {
    return p_.op_b == Op::none ? b_.columns_from(chunk.first, chunk.columns)
                               : b_.rows_from(chunk.first, chunk.columns);
  }

  // Of columns of B, or of what they are stored as, the largest magnitudes. In a few rows only, or
  // in all, which takes as long as to multiply: infinity where B is not finite there.
  std::vector<double> maxima_of_b(const Chunk& chunk, bool of_all) const {
    const StoredMatrix<R> b = b_of(chunk);
    if (p_.op_b == Op::none) {
      const std::int64_t step = of_all ? 1 : std::max<std::int64_t>(1, b.rows / sampled_rows);
      return column_maxima(b.every_row(step / 2, step));
    }
    if (of_all || b.columns <= sampled_rows) return row_maxima(b);
    return row_maxima(b.columns_from((b.columns - sampled_rows) / 2, sampled_rows));
  }

  // Of what an element of each column is made of, the largest.
  std::vector<double> column_scales(const Chunk& chunk, bool of_all) const {
    std::vector<double> scales = maxima_of_b(chunk, of_all);
    if (c0_ == nullptr) return scales;
    const auto sampled = [&](const StoredMatrix<R>& matrix) {
      const std::int64_t step = std::max<std::int64_t>(1, matrix.rows / sampled_rows);
      return matrix.every_row(step / 2, step);
    };
    double of_a = 0;
    for (const double of_row : row_maxima(sampled(a_)))
      if (std::isfinite(of_row)) of_a = std::max(of_a, of_row);
    const double of_sum = one_norm(p_.alpha) * of_a * static_cast<double>(p_.k);
    const std::vector<double> old =
        column_maxima(sampled(old_c()).columns_from(chunk.first, chunk.columns));
    for (std::size_t j = 0; j < scales.size(); ++j) {
      const double kept = one_norm(p_.beta) * old[j];
      if (std::isfinite(scales[j]))
        scales[j] = std::max(of_sum * scales[j], std::isfinite(kept) ? kept : 0);
    }
    return scales;
  }

  // At random between 1 and 2 with a random sign, and powers of two that make all columns alike:
  // else small ones would be lost beside large ones. (With signs alone, two equal errors in a row
  // would cancel in every second check.)
  void draw(Chunk& chunk, std::mt19937_64& engine, bool of_all) const {
    const std::vector<double> largest = column_scales(chunk, of_all);
    static constexpr int furthest = 1000;  // so that sums of doubles stay finite
    const auto exponent = [](double value) {
      int of_value = 0;
      std::frexp(value, &of_value);
      return std::clamp(of_value, -furthest, furthest);
    };
    const auto is_zero_or_infinite = [](double value) {
      return value == 0 || !std::isfinite(value);
    };
    int of_zeros = -furthest;  // a column of zeros weighs as little as any
    for (const double value : largest)
      if (!is_zero_or_infinite(value)) of_zeros = std::max(of_zeros, exponent(value));
    chunk.x.values.resize(largest.size());
    chunk.x.magnitudes.resize(largest.size());
    for (std::size_t j = 0; j < largest.size(); ++j) {
      constexpr int fraction_bits = 24;
      const std::uint64_t bits = engine();
      const double fraction =
          std::ldexp(static_cast<double>(bits >> (64 - fraction_bits)), -fraction_bits);
      double weight = 0;
      if (std::isfinite(largest[j]))
        weight = std::ldexp(1 + fraction, -(largest[j] > 0 ? exponent(largest[j]) : of_zeros));
      else
        chunk.left_out.push_back(static_cast<std::int64_t>(j));
      chunk.x.magnitudes[j] = weight;
      chunk.x.values[j] = bits % 2 == 0 ? weight : -weight;
    }
  }

  TwoVectors product_with_b(const Chunk& chunk) const {
    const StoredMatrix<R> b = b_of(chunk);
    return p_.op_b == Op::none ? times_in_halves(b, chunk.x, chunk.left_out)
                               : transpose_times_in_halves(b, chunk.x);
  }

  static bool is_finite(const TwoVectors& y) {
    return std::isfinite(sum(y[0].values)) && std::isfinite(sum(y[1].values)) &&
           std::isfinite(sum(y[0].magnitudes));
  }

  void predict(Chunk& chunk, const TwoVectors& y) const {
    TwoVectors z = p_.op_a == Op::none ? times(a_, y) : transpose_times(a_, y);
    std::vector<double>& magnitudes = z[0].magnitudes;
    for (WeightVector& half : z)
      for (std::int64_t i = 0; i < p_.m; ++i)
        multiply_by(p_.alpha, parts_, &half.values[index(i * parts_)]);
    const double alpha = one_norm(p_.alpha), beta = one_norm(p_.beta);
    for (double& magnitude : magnitudes) magnitude *= alpha;
    if (c0_ != nullptr) {
      TwoVectors old = times_in_halves(old_c().columns_from(chunk.first, chunk.columns), chunk.x,
                                       chunk.left_out);
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::int64_t i = 0; i < p_.m; ++i)
          multiply_by(p_.beta, parts_, &old[half].values[index(i * parts_)]);
        for (std::size_t i = 0; i < z[half].values.size(); ++i)
          z[half].values[i] += old[half].values[i];
      }
      for (std::size_t i = 0; i < magnitudes.size(); ++i)
        magnitudes[i] += beta * old[0].magnitudes[i];
    }
    const double of_x = sum(chunk.x.magnitudes), of_y = sum(y[0].magnitudes);
    const double units =
        slack_ * suspicious * std::sqrt(static_cast<double>(p_.k * parts_ + 2)) + of_own_sums<R>;
    // A half has half of the magnitude, and half of the columns.
    const double likely =
        units * rounding_.unit / std::sqrt(2 * static_cast<double>(chunk.columns));
    const double flushed =
        rounding_.smallest_normal * (rounding_.flushes * (1 + alpha + beta) * of_x + alpha * of_y);
    for (double& magnitude : magnitudes) magnitude = likely * magnitude + flushed;
    chunk.expected = {std::move(z[0].values), std::move(z[1].values)};
    chunk.allowed = std::move(magnitudes);
  }

  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  // How suspicious, and which.
  std::vector<std::pair<double, std::int64_t>> suspected_rows() const {
    std::vector<double> worst(index(p_.m), 0);
    for (const Chunk& chunk : chunks_) {
      const StoredMatrix<R> c = c_.columns_from(chunk.first, chunk.columns);
      const TwoVectors sums = times_in_halves(c, chunk.x, chunk.left_out, Magnitudes::left_out);
      for (std::int64_t i = 0; i < p_.m; ++i)
        worst[index(i)] = std::max(worst[index(i)], suspicion(chunk, c, sums, i));
    }
    std::vector<std::pair<double, std::int64_t>> suspects;
    for (std::int64_t i = 0; i < p_.m; ++i)
      if (worst[index(i)] > 1) suspects.emplace_back(worst[index(i)], i);
    return suspects;
  }

  double suspicion(const Chunk& chunk, const StoredMatrix<R>& c, const TwoVectors& sums,
                   std::int64_t i) const {
    constexpr double certain = std::numeric_limits<double>::infinity();
    const double allowed = chunk.allowed[index(i)];
    if (!std::isfinite(allowed)) return has_finite(c.rows_from(i, 1)) ? certain : 0;
    for (const std::int64_t column : chunk.left_out)
      if (has_finite(c.rows_from(i, 1).columns_from(column, 1))) return certain;
    double difference = 0;
    for (std::size_t half = 0; half < 2; ++half)
      for (std::int64_t part = i * parts_; part < (i + 1) * parts_; ++part) {
        const double of_part =
            std::abs(sums[half].values[index(part)] - chunk.expected[half][index(part)]);
        if (!std::isfinite(of_part)) return certain;
        difference = std::max(difference, of_part);
      }
    return difference == 0 ? 0 : difference / allowed;
  }

  // Whether an element of this row has finite parts only.
  bool has_finite(const StoredMatrix<R>& row) const {
    const auto is_finite = [&](std::int64_t j) {
      const R* element = row.data + j * parts_;
      return std::isfinite(element[0]) && std::isfinite(element[parts_ - 1]);
    };
    for (std::int64_t j = 0; j < row.columns; ++j)
      if (is_finite(j)) return true;
    return false;
  }

  const GemmProblem p_;
  const int parts_;
  const Rounding<R> rounding_;
  const double slack_;
  const std::uint64_t seed_;
  const StoredMatrix<R> a_, b_, c_;
  KeptMemory kept_;
  const R* c0_ = nullptr;  // C before the product, m x n without gaps; null where beta == 0
  std::vector<Chunk> chunks_;
};

class CountedTime {
 public:
  explicit CountedTime(double& seconds) : seconds_(seconds) {}
  ~CountedTime() { seconds_ += clock_.seconds(); }
  CountedTime(const CountedTime&) = delete;
  CountedTime& operator=(const CountedTime&) = delete;

 private:
  double& seconds_;
  const ThreadClock clock_;
};

bool is_finite(std::complex<double> factor) {
  return std::isfinite(factor.real()) && std::isfinite(factor.imag());
}

}  // namespace

ProductCheck::ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack) {
  const CountedTime counted(seconds_);
  if (is_double(product.precision))
    body_ = std::make_unique<TypedCheck<double>>(product, seed, slack);
  else
    body_ = std::make_unique<TypedCheck<float>>(product, seed, slack);
}

ProductCheck::ProductCheck(ProductCheck&&) noexcept = default;
ProductCheck::~ProductCheck() = default;

void ProductCheck::predict() {
  const CountedTime counted(seconds_);
  body_->predict();
}

CheckVerdict ProductCheck::compare() {
  const CountedTime counted(seconds_);
  return body_->compare();
}

void ProductCheck::restore_c() const noexcept {
  body_->restore_c();
}

bool can_check(const GemmProblem& product) {
  return !product.empty() && !product.only_scales_c() && is_finite(product.alpha) &&
         is_finite(product.beta);
}

}  // namespace duoblas

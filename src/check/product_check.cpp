#include "check/product_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "check/check_bounds.hpp"
#include "check/check_numbers.hpp"
#include "check/counted_time.hpp"
#include "check/kept_memory.hpp"
#include "check/product_elements.hpp"
#include "check/stored_matrix.hpp"
#include "check/summed_columns.hpp"
#include "check/suspects.hpp"

namespace duoblas {
namespace {

// Columns per sum, for each step of k. An element's own bound grows with k, the errors of the
// others with the square root of their number.
constexpr std::int64_t columns_per_step = 64;
// With so few steps the elements of a row differ by more than a sum can resolve (at k = 1 an
// element is often a hundredth of the others). Computing all of them again takes hardly longer.
constexpr std::int64_t few_steps = 16;
// After this many rows without a wrong element, the data is taken for the cause.
constexpr std::int64_t most_rows = 64, most_share = 16;

// The expected sums of some rows. Even and odd columns are apart, so that equal errors of
// neighbours do not cancel in both.
struct ExpectedSums {
  std::array<std::vector<double>, 2> sums;  // by parts
  std::vector<double> allowed;
};

}  // namespace

struct ProductCheck::Body {
  virtual ~Body() = default;
  virtual void predict() = 0;
  virtual CheckVerdict compare() const = 0;
  virtual CheckVerdict look(std::int64_t row, std::int64_t rows, const void* values,
                            std::int64_t ld) = 0;
  virtual void keep_c() = 0;
  virtual void restore_c() const noexcept = 0;
};

namespace {

template <typename R>
class TypedCheck : public ProductCheck::Body {
 public:
  TypedCheck(const GemmProblem& product, std::uint64_t seed, double slack,
             const CheckThreads& threads)
      : p_(product),
        parts_(is_complex(product.precision) ? 2 : 1),
        rounding_(product_rounding<R>(product, slack)),
        seed_(seed),
        threads_(threads),
        a_(stored_a<R>(p_)),
        b_(stored_b<R>(p_)),
        c_(stored_c<R>(p_)) {
    if (!p_.overwrites_c()) old_c_ = c_;
  }

  void predict() override {
    if (is_thin()) return;
    multiply_b();
    for (const SummedColumns& chunk : chunks_) expected_.push_back(expected_sums(chunk, 0, p_.m));
  }

  CheckVerdict compare() const override { return compare(c_, 0, expected_); }

  CheckVerdict look(std::int64_t row, std::int64_t rows, const void* values,
                    std::int64_t ld) override {
    if (chunks_.empty() && !is_thin()) multiply_b();
    std::vector<ExpectedSums> expected;
    for (const SummedColumns& chunk : chunks_) expected.push_back(expected_sums(chunk, row, rows));
    const StoredMatrix<R> c{static_cast<const R*>(values), rows, p_.n, ld, parts_};
    return compare(c, row, expected);
  }

  void keep_c() override {
    if (p_.overwrites_c()) return;
    kept_ = KeptMemory(index(p_.m) * row_bytes());
    auto* const old = static_cast<R*>(kept_.data());
    threads_.share(p_.m, 1, index(p_.m) * row_bytes(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        std::memcpy(old + i * p_.n * parts_, c_.row(i), row_bytes());
    });
    old_c_ = {old, p_.m, p_.n, p_.n, parts_};
  }

  void restore_c() const noexcept override {
    if (kept_.empty()) return;
    for (std::int64_t i = 0; i < p_.m; ++i)
      std::memcpy(static_cast<R*>(p_.c) + i * p_.ldc * parts_, old_c_.row(i), row_bytes());
  }

 private:
  // Every element is computed again.
  bool is_thin() const { return p_.k <= few_steps; }
  std::size_t row_bytes() const { return index(p_.n * parts_) * sizeof(R); }

  // The part of the check that needs neither rows of A nor results.
  void multiply_b() {
    const std::int64_t width = columns_per_step * (p_.k + 2);
    std::mt19937_64 engine(seed_);
    for (std::int64_t first = 0; first < p_.n; first += width) {
      SummedColumns chunk;
      chunk.first = first;
      chunk.columns = std::min(width, p_.n - first);
      draw_weights(chunk, p_, old_c_, engine, false);
      chunk.y = product_with_b(chunk);
      if (!is_finite(chunk.y)) {  // a column of B is not finite; only all of B tells which
        draw_weights(chunk, p_, old_c_, engine, true);
        chunk.y = product_with_b(chunk);
      }
      chunks_.push_back(std::move(chunk));
    }
  }

  TwoVectors product_with_b(const SummedColumns& chunk) const {
    const StoredMatrix<R> b = columns_of_b(p_, b_, chunk);
    return p_.op_b == Op::none
               ? times_in_halves(b, chunk.x, chunk.left_out, Magnitudes::summed, threads_)
               : transpose_times_in_halves(b, chunk.x, threads_);
  }

  static bool is_finite(const TwoVectors& y) {
    return std::isfinite(sum(y[0].values)) && std::isfinite(sum(y[1].values)) &&
           std::isfinite(sum(y[0].magnitudes));
  }

  ExpectedSums expected_sums(const SummedColumns& chunk, std::int64_t row,
                             std::int64_t rows) const {
    TwoVectors z = p_.op_a == Op::none
                       ? times(a_.rows_from(row, rows), chunk.y, threads_)
                       : transpose_times(a_.columns_from(row, rows), chunk.y, threads_);
    std::vector<double>& magnitudes = z[0].magnitudes;
    for (WeightVector& half : z)
      for (std::int64_t i = 0; i < rows; ++i)
        multiply_by(p_.alpha, parts_, &half.values[index(i * parts_)]);
    const double alpha = one_norm(p_.alpha), beta = one_norm(p_.beta);
    for (double& magnitude : magnitudes) magnitude *= alpha;
    if (old_c_.data != nullptr) {
      TwoVectors old =
          times_in_halves(old_c_.rows_from(row, rows).columns_from(chunk.first, chunk.columns),
                          chunk.x, chunk.left_out, Magnitudes::summed, threads_);
      for (std::size_t half = 0; half < 2; ++half) {
        for (std::int64_t i = 0; i < rows; ++i)
          multiply_by(p_.beta, parts_, &old[half].values[index(i * parts_)]);
        for (std::size_t i = 0; i < z[half].values.size(); ++i)
          z[half].values[i] += old[half].values[i];
      }
      for (std::size_t i = 0; i < magnitudes.size(); ++i)
        magnitudes[i] += beta * old[0].magnitudes[i];
    }
    const double of_x = sum(chunk.x.magnitudes), of_y = sum(chunk.y[0].magnitudes);
    const double units =
        suspicious_units<R>(rounding_.slack, static_cast<double>(p_.k * parts_ + 2));
    // Each half has half of the magnitude and half of the columns.
    const double likely =
        units * unit_roundoff<R> / std::sqrt(2 * static_cast<double>(chunk.columns));
    const double flushed =
        smallest_normal<R> *
        (flushes_of(rounding_, parts_) * (1 + alpha + beta) * of_x + alpha * of_y);
    for (double& magnitude : magnitudes) magnitude = likely * magnitude + flushed;
    return {{std::move(z[0].values), std::move(z[1].values)}, std::move(magnitudes)};
  }

  // `c`: these rows of the result, from `row` on, in any memory.
  CheckVerdict compare(const StoredMatrix<R>& c, std::int64_t row,
                       const std::vector<ExpectedSums>& expected) const {
    // The product for these rows only.
    GemmProblem part = p_;
    part.m = c.rows;
    part.a = p_.op_a == Op::none ? a_.row(row) : a_.data + row * parts_;
    part.c = const_cast<R*>(c.data);  // it is only read
    part.ldc = c.ld;
    StoredMatrix<R> old = old_c_;
    if (old.data != nullptr) old = old.rows_from(row, c.rows);
    const auto wrong_in = [&](std::int64_t i) { return wrong_in_row(part, old, rounding_, i); };
    CheckVerdict verdict;
    if (is_thin())
      for (std::int64_t i = 0; i < c.rows && !verdict.wrong; ++i) verdict.wrong = wrong_in(i);
    else
      verdict = suspects_of(c, expected)
                    .verdict(index(std::max(most_rows, c.rows / most_share)), wrong_in);
    if (verdict.wrong) verdict.wrong->row += row;
    return verdict;
  }

  Suspects suspects_of(const StoredMatrix<R>& c, const std::vector<ExpectedSums>& expected) const {
    std::vector<double> worst(index(c.rows), 0);
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const SummedColumns& chunk = chunks_[i];
      const StoredMatrix<R> columns = c.columns_from(chunk.first, chunk.columns);
      const TwoVectors sums =
          times_in_halves(columns, chunk.x, chunk.left_out, Magnitudes::omitted, threads_);
      for (std::int64_t row = 0; row < c.rows; ++row)
        worst[index(row)] =
            std::max(worst[index(row)], suspicion(chunk, expected[i], columns, sums, row));
    }
    Suspects suspects;
    for (std::int64_t i = 0; i < c.rows; ++i)
      if (worst[index(i)] > 1) suspects.add(worst[index(i)], i);
    return suspects;
  }

  double suspicion(const SummedColumns& chunk, const ExpectedSums& expected,
                   const StoredMatrix<R>& c, const TwoVectors& sums, std::int64_t i) const {
    constexpr double certain = std::numeric_limits<double>::infinity();
    const double allowed = expected.allowed[index(i)];
    if (!std::isfinite(allowed)) return has_finite(c.rows_from(i, 1)) ? certain : 0;
    for (const std::int64_t column : chunk.left_out)
      if (has_finite(c.rows_from(i, 1).columns_from(column, 1))) return certain;
    double difference = 0;
    for (std::size_t half = 0; half < 2; ++half)
      for (std::int64_t part = i * parts_; part < (i + 1) * parts_; ++part) {
        const double of_part =
            std::abs(sums[half].values[index(part)] - expected.sums[half][index(part)]);
        if (!std::isfinite(of_part)) return certain;
        difference = std::max(difference, of_part);
      }
    return difference == 0 ? 0 : difference / allowed;
  }

  // Whether any element of this row has finite parts.
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
  const ElementRounding rounding_;
  const std::uint64_t seed_;
  const CheckThreads threads_;
  const StoredMatrix<R> a_, b_, c_;
  KeptMemory kept_;
  StoredMatrix<R> old_c_;  // C before the product; without data where beta == 0
  std::vector<SummedColumns> chunks_;
  std::vector<ExpectedSums> expected_;  // of each chunk, all rows
};

}  // namespace

ProductCheck::ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack, OldC old_c,
                           const CheckThreads& threads) {
  const CountedTime counted(seconds_);
  if (is_double(product.precision))
    body_ = std::make_unique<TypedCheck<double>>(product, seed, slack, threads);
  else
    body_ = std::make_unique<TypedCheck<float>>(product, seed, slack, threads);
  if (old_c == OldC::kept) body_->keep_c();
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

CheckVerdict ProductCheck::look(std::int64_t row, std::int64_t rows, const void* values,
                                std::int64_t ld) {
  const CountedTime counted(seconds_);
  return body_->look(row, rows, values, ld);
}

void ProductCheck::keep_c() {
  const CountedTime counted(seconds_);
  body_->keep_c();
}

void ProductCheck::restore_c() const noexcept {
  body_->restore_c();
}

bool can_check(const GemmProblem& product) {
  return !product.empty() && !product.only_scales_c() && is_finite(product.alpha) &&
         is_finite(product.beta);
}

}  // namespace duoblas

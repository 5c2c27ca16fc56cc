#include "check/product_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "check/identity.hpp"
#include "problem/precision.hpp"

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

// The sample of rows that shows how large the numbers of a column are.
constexpr std::int64_t sampled_rows = 32;

template <typename R>
StoredMatrix<R> sampled(const StoredMatrix<R>& matrix) {
  const std::int64_t step = std::max<std::int64_t>(1, matrix.rows / sampled_rows);
  return matrix.every_row(step / 2, step);
}

// The largest magnitude of each column of op(B). If all rows are read: infinity where B is not
// finite.
template <typename R>
std::vector<double> column_maxima_of(const StoredMatrix<R>& b, bool of_all) {
  if (!b.turned) return column_maxima(of_all ? b : sampled(b));
  if (of_all || b.columns <= sampled_rows) return row_maxima(b);
  return row_maxima(b.columns_from((b.columns - sampled_rows) / 2, sampled_rows));
}

constexpr int furthest = 900;  // so that sums of doubles stay finite, of many large numbers too

int exponent(double value) {
  int of_value = 0;
  std::frexp(value, &of_value);
  return std::clamp(of_value, -furthest, furthest);
}

// Whether any element of this row has finite parts.
template <typename R>
bool has_finite(const StoredMatrix<R>& row) {
  for (std::int64_t j = 0; j < row.columns; ++j)
    if (is_finite(row.at(0, j))) return true;
  return false;
}

// The first element of a row whose error is larger than rounding can cause in any order of
// additions.
template <typename R>
std::optional<WrongElement> wrong_in_row(const Identity<R>& product,
                                         const ElementRounding& rounding, std::int64_t row) {
  constexpr Wider<R> largest = std::numeric_limits<R>::max();
  for (const std::int64_t column : doubtful_in_row(product, rounding, row, {})) {
    const IdentityElement<R> element = element_of(product, row, column);
    WrongElement wrong{row, column, element.result, element.expected(), 0};
    if (!element.is_finite) {
      if (is_finite(wrong.is)) return wrong;
      continue;
    }
    // Sums on the way may have been too large, whatever the last one is.
    const bool may_overflow = !(element.largest * Wider<R>(1.01) < largest);
    if (!is_finite(wrong.is) && may_overflow) continue;
    const Wider<R> bound = element.bound(rounding);
    wrong.bound = static_cast<double>(bound);
    if (!(element.error() <= bound)) return wrong;
  }
  return {};
}

// The same of some rows, from the first on, all of which are computed again. Sums of few elements
// take longer than adding up few rows, so an op(B) whose columns lie as rows is turned once.
template <typename R>
std::optional<WrongElement> wrong_in_rows(Identity<R> product, const ElementRounding& rounding,
                                          std::int64_t rows) {
  StoredMatrix<R>& b = product.terms.front().matrices.back();
  std::vector<R> turned(b.turned ? index(b.rows * b.columns * b.parts) : 0);
  if (b.turned) {
    for (std::int64_t i = 0; i < b.rows; ++i)
      for (std::int64_t j = 0; j < b.columns; ++j)
        std::copy_n(b.row(i) + j * b.parts, b.parts, &turned[index((j * b.rows + i) * b.parts)]);
    b = b.part(turned.data(), b.columns, b.rows);
    b.ld = b.columns;
    b.turned = false;
  }
  std::optional<WrongElement> wrong;
  for (std::int64_t i = 0; i < rows && !wrong; ++i) wrong = wrong_in_row(product, rounding, i);
  return wrong;
}

}  // namespace

// The sums of a check, over reals of type R.
template <typename R>
class ProductSums {
 public:
  using Chunk = ProductCheck::Chunk;

  explicit ProductSums(const ProductCheck& of)
      : of_(of), p_(of.p_), slack_(of.slack_), threads_(of.threads_) {}

  bool is_thin() const { return p_.k <= few_steps; }

  // Without data where beta == 0.
  StoredMatrix<R> old_c() const {
    const StoredMatrix<R> c = written_matrix<R>(p_);
    return of_.old_.are_saved() || p_.overwrites_c() ? of_.old_.of(c) : c;
  }

  // For each column, the largest sum of magnitudes of one element.
  std::vector<double> column_scales(const Chunk& of, bool of_all) const {
    std::vector<double> scales =
        column_maxima_of(matrix_b<R>(p_).steps_from(of.first, of.columns), of_all);
    const StoredMatrix<R> old = old_c();
    if (old.data == nullptr) return scales;
    double of_a = 0;
    for (const double of_row : row_maxima(sampled(matrix_a<R>(p_))))
      if (std::isfinite(of_row)) of_a = std::max(of_a, of_row);
    const double of_sum = one_norm(p_.alpha) * of_a * static_cast<double>(p_.k);
    const std::vector<double> of_old =
        column_maxima(sampled(old).columns_from(of.first, of.columns));
    for (std::size_t j = 0; j < scales.size(); ++j) {
      const double kept = one_norm(p_.beta) * of_old[j];
      if (std::isfinite(scales[j]))
        scales[j] = std::max(of_sum * scales[j], std::isfinite(kept) ? kept : 0);
    }
    return scales;
  }

  // Random numbers between 1 and 2 with a random sign, times powers of two that scale all columns
  // alike. Without the powers, errors in small columns would be lost beside large columns; with
  // signs alone, two equal errors in a row would cancel in every second check.
  //
  // `of_all`: reads all of B, which takes as long as to multiply, and leaves out columns that are
  // not finite. Otherwise a few rows tell how large the numbers of a column are.
  void draw_weights(Chunk& of, std::mt19937_64& engine, bool of_all) const {
    const std::vector<double> largest = column_scales(of, of_all);
    int of_zeros = -furthest;  // a column of zeros weighs as little as any
    for (const double value : largest)
      if (value != 0 && std::isfinite(value)) of_zeros = std::max(of_zeros, exponent(value));
    of.left_out.clear();
    of.x = Vectors(of.columns, 1);
    for (std::size_t j = 0; j < largest.size(); ++j) {
      const RandomNumber number(engine);
      if (!std::isfinite(largest[j])) {
        of.left_out.push_back(static_cast<std::int64_t>(j));
        continue;
      }
      const double weight =
          std::ldexp(number.size, -(largest[j] > 0 ? exponent(largest[j]) : of_zeros));
      of.x.sizes[j] = weight;
      of.x.values[0][j] = number.with_sign(weight);
    }
  }

  // The part of the check that needs neither rows of A nor results.
  std::vector<Chunk> chunks() const {
    const std::int64_t width = columns_per_step * (p_.k + 2);
    std::mt19937_64 engine(of_.seed_);
    std::vector<Chunk> all;
    for (std::int64_t first = 0; !is_thin() && first < p_.n; first += width) {
      Chunk& chunk = all.emplace_back();
      chunk.first = first;
      chunk.columns = std::min(width, p_.n - first);
      const StoredMatrix<R> b = matrix_b<R>(p_).steps_from(first, chunk.columns);
      // If a column of B is not finite, only all of B tells which.
      for (const bool of_all : {false, true}) {
        draw_weights(chunk, engine, of_all);
        chunk.y = times_in_halves(b, chunk.x, chunk.left_out, Sizes::magnitudes, threads_);
        if (is_finite(sum(chunk.y.values[0])) && is_finite(sum(chunk.y.values[1])) &&
            is_finite(sum(chunk.y.sizes)))
          break;
      }
    }
    return all;
  }

  std::vector<Vectors> expected_sums(std::int64_t row, std::int64_t rows) const {
    const ElementRounding rounding = rounding_of_element<R>(p_, slack_);
    const StoredMatrix<R> a = matrix_a<R>(p_).lines_from(row, rows);
    const double units = suspicious_units<R>(slack_, static_cast<double>(p_.k * a.parts + 2));
    std::vector<Vectors> all;
    for (const Chunk& chunk : of_.chunks_) {
      Vectors& sums = all.emplace_back(rows, a.parts, 2);
      sums.add(times(a, chunk.y, Sizes::magnitudes, threads_), p_.alpha);
      if (const StoredMatrix<R> old = old_c(); old.data != nullptr)
        sums.add(times_in_halves(old.rows_from(row, rows).columns_from(chunk.first, chunk.columns),
                                 chunk.x, chunk.left_out, Sizes::magnitudes, threads_),
                 p_.beta);
      // Each half has half of the magnitude and half of the columns.
      const double likely =
          units * unit_roundoff<R> / std::sqrt(2 * static_cast<double>(chunk.columns));
      const double alpha = one_norm(p_.alpha), beta = one_norm(p_.beta);
      const double flushed = smallest_normal<R> * (flushes_of(rounding, a.parts) *
                                                       (1 + alpha + beta) * sum(chunk.x.sizes) +
                                                   alpha * sum(chunk.y.sizes));
      for (double& size : sums.sizes) size = likely * size + flushed;
    }
    return all;
  }

  // `c`: rows of the result, from `row` on, in any memory.
  CheckVerdict verdict(const StoredMatrix<R>& c, std::int64_t row,
                       const std::vector<Vectors>& expected) const {
    const ElementRounding rounding = rounding_of_element<R>(p_, slack_);
    // The product for these rows only.
    StoredMatrix<R> old = old_c();
    if (old.data != nullptr) old = old.rows_from(row, c.rows);
    Identity<R> identity = identity_of(p_, old);
    identity.terms[0].matrices[0] = identity.first().lines_from(row, c.rows);
    identity.terms[1].matrices[0] = c;
    CheckVerdict verdict;
    if (is_thin())
      verdict.wrong = wrong_in_rows(identity, rounding, c.rows);
    else
      verdict = suspects(c, expected)
                    .verdict(index(std::max(most_rows, c.rows / most_share)),
                             [&](std::int64_t i) { return wrong_in_row(identity, rounding, i); });
    if (verdict.wrong) verdict.wrong->row += row;
    return verdict;
  }

  Suspects suspects(const StoredMatrix<R>& c, const std::vector<Vectors>& expected) const {
    constexpr double certain = std::numeric_limits<double>::infinity();
    std::vector<double> worst(index(c.rows), 0);
    for (std::size_t part = 0; part < of_.chunks_.size(); ++part) {
      const Chunk& chunk = of_.chunks_[part];
      const StoredMatrix<R> columns = c.columns_from(chunk.first, chunk.columns);
      Vectors sums = times_in_halves(columns, chunk.x, chunk.left_out, Sizes::none, threads_);
      sums.add(expected[part], -1.0);
      const auto suspicion = [&](std::int64_t i) {
        const double allowed = sums.sizes[index(i)];
        if (!std::isfinite(allowed)) return has_finite(columns.rows_from(i, 1)) ? certain : 0;
        for (const std::int64_t column : chunk.left_out)
          if (is_finite(columns.at(i, column))) return certain;
        const double difference = sums.largest_part(i);
        return difference == 0 ? 0 : difference / allowed;
      };
      for (std::int64_t i = 0; i < c.rows; ++i)
        worst[index(i)] = std::max(worst[index(i)], suspicion(i));
    }
    Suspects suspects;
    for (std::int64_t i = 0; i < c.rows; ++i)
      if (worst[index(i)] > 1) suspects.add(worst[index(i)], i);
    return suspects;
  }

 private:
  const ProductCheck& of_;
  const GemmProblem& p_;
  const double slack_;
  const CheckThreads& threads_;
};

ProductCheck::ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack, OldC old_c,
                           const CheckThreads& threads)
    : p_(product), seed_(seed), slack_(slack), threads_(threads) {
  if (old_c == OldC::saved) keep_c();
}

void ProductCheck::keep_c() {
  const Counted counted(*this);
  if (p_.overwrites_c()) return;
  with_real_type(p_.precision,
                 [&](auto zero) { old_.save(written_matrix<decltype(zero)>(p_), threads_); });
}

void ProductCheck::restore() const noexcept {
  with_real_type(p_.precision,
                 [&](auto zero) { old_.restore(written_matrix<decltype(zero)>(p_)); });
}

ProductCheck ProductCheck::of_columns(std::int64_t first, std::int64_t count) const {
  const auto element = static_cast<std::int64_t>(element_size(p_.precision));
  GemmProblem part = p_;
  part.n = count;
  const std::int64_t of_b = p_.op_b == Op::none ? first : first * p_.ldb;
  part.b = static_cast<const char*>(p_.b) + of_b * element;
  part.c = static_cast<char*>(p_.c) + first * element;
  return ProductCheck(part, seed_, slack_, OldC::in_place, threads_);
}

void ProductCheck::do_predict() {
  with_real_type(p_.precision, [&](auto zero) {
    const ProductSums<decltype(zero)> sums(*this);
    chunks_ = sums.chunks();
    expected_ = sums.expected_sums(0, p_.m);
  });
}

CheckVerdict ProductCheck::do_compare() {
  return with_real_type(p_.precision, [&](auto zero) {
    using R = decltype(zero);
    return ProductSums<R>(*this).verdict(written_matrix<R>(p_), 0, expected_);
  });
}

CheckVerdict ProductCheck::look(std::int64_t row, std::int64_t rows, const void* values,
                                std::int64_t ld) {
  const Counted counted(*this);
  return with_real_type(p_.precision, [&](auto zero) {
    using R = decltype(zero);
    const ProductSums<R> sums(*this);
    if (chunks_.empty()) chunks_ = sums.chunks();
    StoredMatrix<R> c = written_matrix<R>(p_).rows_from(row, rows);
    c.data = static_cast<const R*>(values);
    c.ld = ld;
    return sums.verdict(c, row, sums.expected_sums(row, rows));
  });
}

std::optional<WrongElement> wrong_element(const GemmProblem& product, const void* c0,
                                          double slack) {
  return with_real_type(product.precision, [&](auto zero) {
    using R = decltype(zero);
    StoredMatrix<R> old = written_matrix<R>(product);
    old.data = static_cast<const R*>(c0);
    old.ld = product.n;
    return wrong_in_rows(identity_of(product, old), rounding_of_element<R>(product, slack),
                         product.m);
  });
}

std::string describe(const WrongElement& wrong, const GemmProblem& product) {
  return describe(wrong, is_complex(product.precision), product.m, product.n);
}

bool can_check(const GemmProblem& product) {
  return !product.empty() && !product.only_scales_c() && is_finite(product.alpha) &&
         is_finite(product.beta);
}

}  // namespace duoblas

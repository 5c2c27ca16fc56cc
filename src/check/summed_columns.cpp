#include "check/summed_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "check/check_numbers.hpp"
#include "check/product_elements.hpp"

namespace duoblas {
namespace {

// The sample of rows that shows how large the numbers of a column are.
constexpr std::int64_t sampled_rows = 32;

template <typename R>
StoredMatrix<R> sampled(const StoredMatrix<R>& matrix) {
  const std::int64_t step = std::max<std::int64_t>(1, matrix.rows / sampled_rows);
  return matrix.every_row(step / 2, step);
}

// The largest magnitude of each column of B as stored. If all rows are read: infinity where B is
// not finite.
template <typename R>
std::vector<double> maxima_of_b(const GemmProblem& p, const SummedColumns& of, bool of_all) {
  const StoredMatrix<R> b = columns_of_b(p, stored_b<R>(p), of);
  if (p.op_b == Op::none) return column_maxima(of_all ? b : sampled(b));
  if (of_all || b.columns <= sampled_rows) return row_maxima(b);
  return row_maxima(b.columns_from((b.columns - sampled_rows) / 2, sampled_rows));
}

// For each column, the largest sum of magnitudes of one element.
template <typename R>
std::vector<double> column_scales(const GemmProblem& p, const StoredMatrix<R>& old_c,
                                  const SummedColumns& of, bool of_all) {
  std::vector<double> scales = maxima_of_b<R>(p, of, of_all);
  if (old_c.data == nullptr) return scales;
  double of_a = 0;
  for (const double of_row : row_maxima(sampled(stored_a<R>(p))))
    if (std::isfinite(of_row)) of_a = std::max(of_a, of_row);
  const double of_sum = one_norm(p.alpha) * of_a * static_cast<double>(p.k);
  const std::vector<double> old = column_maxima(sampled(old_c).columns_from(of.first, of.columns));
  for (std::size_t j = 0; j < scales.size(); ++j) {
    const double kept = one_norm(p.beta) * old[j];
    if (std::isfinite(scales[j]))
      scales[j] = std::max(of_sum * scales[j], std::isfinite(kept) ? kept : 0);
  }
  return scales;
}

constexpr int furthest = 900;  // so that sums of doubles stay finite, of many large numbers too

int exponent(double value) {
  int of_value = 0;
  std::frexp(value, &of_value);
  return std::clamp(of_value, -furthest, furthest);
}

}  // namespace

template <typename R>
StoredMatrix<R> columns_of_b(const GemmProblem& p, const StoredMatrix<R>& b,
                             const SummedColumns& of) {
  return p.op_b == Op::none ? b.columns_from(of.first, of.columns)
                            : b.rows_from(of.first, of.columns);
}

template <typename R>
void draw_weights(SummedColumns& of, const GemmProblem& product, const StoredMatrix<R>& old_c,
                  std::mt19937_64& engine, bool of_all) {
  const std::vector<double> largest = column_scales(product, old_c, of, of_all);
  int of_zeros = -furthest;  // a column of zeros weighs as little as any
  for (const double value : largest)
    if (value != 0 && std::isfinite(value)) of_zeros = std::max(of_zeros, exponent(value));
  of.left_out.clear();
  of.x.values.resize(largest.size());
  of.x.magnitudes.resize(largest.size());
  for (std::size_t j = 0; j < largest.size(); ++j) {
    const RandomNumber number(engine);
    double weight = 0;
    if (std::isfinite(largest[j]))
      weight = std::ldexp(number.size, -(largest[j] > 0 ? exponent(largest[j]) : of_zeros));
    else
      of.left_out.push_back(static_cast<std::int64_t>(j));
    of.x.magnitudes[j] = weight;
    of.x.values[j] = number.with_sign(weight);
  }
}

#define DUOBLAS_INSTANTIATE(R)                                                           \
  template StoredMatrix<R> columns_of_b(const GemmProblem&, const StoredMatrix<R>&,      \
                                        const SummedColumns&);                           \
  template void draw_weights(SummedColumns&, const GemmProblem&, const StoredMatrix<R>&, \
                             std::mt19937_64&, bool)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

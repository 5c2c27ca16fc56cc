#include "check/stored_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "check/check_numbers.hpp"
#include "check/row_sums.hpp"

namespace duoblas {
namespace {

double finite_or_infinity(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

// Each element twice: once for the real part, once for the imaginary one.
std::vector<double> for_both_parts(const std::vector<double>& values) {
  std::vector<double> twice(2 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) twice[2 * i] = twice[2 * i + 1] = values[i];
  return twice;
}

// Rows as they lie in memory, but for columns that are not to be read.
template <typename R>
class Rows {
 public:
  Rows(const StoredMatrix<R>& matrix, std::span<const std::int64_t> left_out)
      : matrix_(matrix), left_out_(left_out) {
    if (!left_out.empty()) copy_.resize(index(matrix.reals_of_row()));
  }

  const R* operator[](std::int64_t i) {
    const R* row = matrix_.row(i);
    if (left_out_.empty()) return row;
    std::copy_n(row, copy_.size(), copy_.begin());
    for (const std::int64_t column : left_out_)
      std::fill_n(copy_.begin() + column * matrix_.parts, matrix_.parts, R(0));
    return copy_.data();
  }

 private:
  const StoredMatrix<R>& matrix_;
  const std::span<const std::int64_t> left_out_;
  std::vector<R> copy_;
};

// The real part of a product of complex numbers is a sum over both parts of the row with these
// weights, and the imaginary part is another such sum.
struct ComplexWeights {
  std::vector<double> real, imaginary;

  ComplexWeights(const std::vector<double>& v, bool conjugated) : real(v), imaginary(v.size()) {
    const double sign = conjugated ? -1 : 1;
    for (std::size_t i = 0; i < v.size(); i += 2) {
      real[i + 1] = -sign * v[i + 1];
      imaginary[i] = v[i + 1];
      imaginary[i + 1] = sign * v[i];
    }
  }
};

// Adds rows of a matrix up, several at once, and many of those before they join the total: the
// errors of a sum grow with the number of its terms.
template <typename R>
class RowAdder {
 public:
  explicit RowAdder(std::int64_t reals)
      : sums(index(reals)), magnitudes(index(reals)), block_(index(reals)), zeros_(index(reals)) {}

  void add(const R* row, double weight, double magnitude) {
    rows_[waiting_] = row;
    weights_[waiting_] = weight;
    of_magnitudes_[waiting_] = magnitude;
    if (++waiting_ == rows_added_at_once) add_waiting();
  }

  void finish() {
    if (waiting_ > 0) add_waiting();
    add_block();
  }

  std::vector<double> sums, magnitudes;  ///< after finish()

 private:
  void add_waiting() {
    for (int r = waiting_; r < rows_added_at_once; ++r) {
      rows_[r] = zeros_.data();
      weights_[r] = of_magnitudes_[r] = 0;
    }
    row_sums<R>().add_rows(rows_, weights_, of_magnitudes_,
                           static_cast<std::int64_t>(block_.size()), block_.data(),
                           magnitudes.data());
    waiting_ = 0;
    constexpr int rows_of_block = 32;
    if ((in_block_ += rows_added_at_once) >= rows_of_block) add_block();
  }

  void add_block() {
    for (std::size_t i = 0; i < block_.size(); ++i) sums[i] += std::exchange(block_[i], 0.0);
    in_block_ = 0;
  }

  std::vector<double> block_;
  const std::vector<R> zeros_;
  const R* rows_[rows_added_at_once] = {};
  double weights_[rows_added_at_once] = {}, of_magnitudes_[rows_added_at_once] = {};
  int waiting_ = 0, in_block_ = 0;
};

WeightVector zeros(std::int64_t elements, int parts) {
  WeightVector vector;
  vector.is_real = parts == 1;
  vector.values.resize(index(elements * parts));
  return vector;
}

TwoVectors two_of_zeros(std::int64_t elements, int parts, Magnitudes magnitudes) {
  TwoVectors two = {zeros(elements, parts), zeros(elements, parts)};
  if (magnitudes == Magnitudes::summed) two[0].magnitudes.resize(index(elements));
  return two;
}

// The sums of a conjugated matrix and a real vector.
void conjugate(WeightVector& vector) {
  for (std::size_t i = 1; i < vector.values.size(); i += 2) vector.values[i] = -vector.values[i];
}

// Sums of a complex matrix's rows, with the real and with the imaginary parts of weights.
template <typename R>
struct ComplexSums {
  explicit ComplexSums(std::int64_t reals) : straight(reals), turned(reals) {}

  void add(const R* row, const double* weight, double magnitude) {
    straight.add(row, weight[0], magnitude);
    turned.add(row, weight[1], 0);
  }
  void finish(bool conjugated, std::vector<double>& values) {
    straight.finish();
    turned.finish();
    const double sign = conjugated ? -1 : 1;
    for (std::size_t i = 0; i < values.size(); i += 2) {
      values[i] = straight.sums[i] - sign * turned.sums[i + 1];
      values[i + 1] = sign * straight.sums[i + 1] + turned.sums[i];
    }
  }

  RowAdder<R> straight, turned;
};

std::vector<double> by_elements(const std::vector<double>& of_reals, int parts) {
  if (parts == 1) return of_reals;
  std::vector<double> of_elements(of_reals.size() / 2);
  for (std::size_t i = 0; i < of_elements.size(); ++i)
    of_elements[i] = of_reals[2 * i] + of_reals[2 * i + 1];
  return of_elements;
}

// One half of transpose_times_in_halves.
template <typename R>
WeightVector sum_of_rows(const StoredMatrix<R>& matrix, const WeightVector& v, std::int64_t first) {
  RowAdder<R> adder(matrix.reals_of_row());
  for (std::int64_t i = first; i < matrix.rows; i += 2)
    if (v.magnitudes[index(i)] != 0)
      adder.add(matrix.row(i), v.values[index(i)], v.magnitudes[index(i)]);
  adder.finish();
  WeightVector sum;
  sum.is_real = matrix.parts == 1;
  sum.values = std::move(adder.sums);
  sum.magnitudes = by_elements(adder.magnitudes, matrix.parts);
  if (matrix.conjugated) conjugate(sum);
  return sum;
}

// The functions of the header, by the calling thread.
template <typename R>
TwoVectors in_halves_alone(const StoredMatrix<R>& matrix, const WeightVector& v,
                           std::span<const std::int64_t> left_out, Magnitudes magnitudes) {
  const RowSums<R>& sums = row_sums<R>();
  const std::int64_t reals = matrix.reals_of_row();
  const bool pairs = matrix.parts == 2;
  const bool summed = magnitudes == Magnitudes::summed;
  const std::vector<double> twice = pairs ? for_both_parts(v.values) : std::vector<double>();
  const double* weights = (pairs ? twice : v.values).data();
  Rows<R> rows(matrix, left_out);
  TwoVectors result = two_of_zeros(matrix.rows, matrix.parts, magnitudes);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const RowSum sum = (summed ? sums.dot_and_magnitude : sums.dot)(rows[i], weights, reals);
    for (std::size_t half = 0; half < 2; ++half) {
      double* value = &result[half].values[index(i * matrix.parts)];
      if (pairs) {
        value[0] = sum.places[2 * half];
        value[1] = sum.places[2 * half + 1];
      } else {
        value[0] = sum.places[half] + sum.places[half + 2];
      }
    }
    if (summed) result[0].magnitudes[index(i)] = sum.magnitude;
  }
  if (matrix.conjugated)
    for (WeightVector& half : result) conjugate(half);
  return result;
}

template <typename R>
TwoVectors transpose_in_halves_alone(const StoredMatrix<R>& matrix, const WeightVector& v) {
  TwoVectors result = {sum_of_rows(matrix, v, 0), sum_of_rows(matrix, v, 1)};
  for (std::size_t i = 0; i < result[0].magnitudes.size(); ++i)
    result[0].magnitudes[i] += result[1].magnitudes[i];
  return result;
}

template <typename R>
TwoVectors times_alone(const StoredMatrix<R>& matrix, const TwoVectors& v) {
  const RowSums<R>& sums = row_sums<R>();
  const std::int64_t reals = matrix.reals_of_row();
  TwoVectors result = two_of_zeros(matrix.rows, matrix.parts, Magnitudes::summed);
  if (matrix.parts == 1) {
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      const TwoRowSums sum = sums.two_dots(matrix.row(i), v[0].values.data(), v[1].values.data(),
                                           v[0].magnitudes.data(), reals);
      result[0].values[index(i)] = sum.first;
      result[1].values[index(i)] = sum.second;
      result[0].magnitudes[index(i)] = sum.magnitude;
    }
    return result;
  }
  const std::vector<double> magnitudes = for_both_parts(v[0].magnitudes);
  const ComplexWeights weights[2] = {{v[0].values, matrix.conjugated},
                                     {v[1].values, matrix.conjugated}};
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::size_t one = 0; one < 2; ++one) {
      const TwoRowSums sum = sums.two_dots(matrix.row(i), weights[one].real.data(),
                                           weights[one].imaginary.data(), magnitudes.data(), reals);
      result[one].values[index(2 * i)] = sum.first;
      result[one].values[index(2 * i + 1)] = sum.second;
      result[0].magnitudes[index(i)] = sum.magnitude;
    }
  return result;
}

template <typename R>
TwoVectors transpose_alone(const StoredMatrix<R>& matrix, const TwoVectors& v) {
  const std::int64_t reals = matrix.reals_of_row();
  TwoVectors result = two_of_zeros(matrix.columns, matrix.parts, Magnitudes::summed);
  const auto for_rows = [&](auto&& add) {
    for (std::int64_t i = 0; i < matrix.rows; ++i)
      if (v[0].magnitudes[index(i)] != 0) add(i, v[0].magnitudes[index(i)]);
  };
  if (matrix.parts == 1) {
    RowAdder<R> adders[2] = {RowAdder<R>(reals), RowAdder<R>(reals)};
    for_rows([&](std::int64_t i, double magnitude) {
      adders[0].add(matrix.row(i), v[0].values[index(i)], magnitude);
      adders[1].add(matrix.row(i), v[1].values[index(i)], 0);
    });
    for (std::size_t one = 0; one < 2; ++one) {
      adders[one].finish();
      result[one].values = std::move(adders[one].sums);
    }
    result[0].magnitudes = std::move(adders[0].magnitudes);
    return result;
  }
  ComplexSums<R> sums[2] = {ComplexSums<R>(reals), ComplexSums<R>(reals)};
  for_rows([&](std::int64_t i, double magnitude) {
    sums[0].add(matrix.row(i), &v[0].values[index(2 * i)], magnitude);
    sums[1].add(matrix.row(i), &v[1].values[index(2 * i)], 0);
  });
  for (std::size_t one = 0; one < 2; ++one) sums[one].finish(matrix.conjugated, result[one].values);
  result[0].magnitudes = by_elements(sums[0].straight.magnitudes, matrix.parts);
  return result;
}

// What a thread made of some rows, or columns, of a matrix.
void place(TwoVectors& whole, std::int64_t first, int parts, const TwoVectors& part) {
  for (std::size_t one = 0; one < 2; ++one)
    std::ranges::copy(part[one].values, whole[one].values.begin() + first * parts);
  std::ranges::copy(part[0].magnitudes,
                    whole[0].magnitudes.begin() + (whole[0].magnitudes.empty() ? 0 : first));
}

// Sums over a row do not depend on other rows, and their terms stay in order.
template <typename R, typename Alone>
TwoVectors by_rows(const StoredMatrix<R>& matrix, Magnitudes magnitudes,
                   const CheckThreads& threads, const Alone& alone) {
  if (threads.for_bytes(matrix.bytes()) <= 1) return alone(matrix);
  TwoVectors whole = two_of_zeros(matrix.rows, matrix.parts, magnitudes);
  threads.share(matrix.rows, 1, matrix.bytes(), [&](std::int64_t begin, std::int64_t end) {
    place(whole, begin, matrix.parts, alone(matrix.rows_from(begin, end - begin)));
  });
  return whole;
}

// Likewise sums over columns. Pieces of rows have a KiB and more.
template <typename R, typename Alone>
TwoVectors by_columns(const StoredMatrix<R>& matrix, const CheckThreads& threads,
                      const Alone& alone) {
  constexpr std::int64_t unit = 128;
  if (threads.for_bytes(matrix.bytes()) <= 1) return alone(matrix);
  TwoVectors whole = two_of_zeros(matrix.columns, matrix.parts, Magnitudes::summed);
  threads.share(matrix.columns, unit, matrix.bytes(), [&](std::int64_t begin, std::int64_t end) {
    place(whole, begin, matrix.parts, alone(matrix.columns_from(begin, end - begin)));
  });
  return whole;
}

}  // namespace

template <typename R>
TwoVectors times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v,
                           std::span<const std::int64_t> left_out, Magnitudes magnitudes,
                           const CheckThreads& threads) {
  return by_rows(matrix, magnitudes, threads, [&](const StoredMatrix<R>& rows) {
    return in_halves_alone(rows, v, left_out, magnitudes);
  });
}

template <typename R>
TwoVectors transpose_times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v,
                                     const CheckThreads& threads) {
  return by_columns(matrix, threads, [&](const StoredMatrix<R>& columns) {
    return transpose_in_halves_alone(columns, v);
  });
}

template <typename R>
TwoVectors times(const StoredMatrix<R>& matrix, const TwoVectors& v, const CheckThreads& threads) {
  return by_rows(matrix, Magnitudes::summed, threads,
                 [&](const StoredMatrix<R>& rows) { return times_alone(rows, v); });
}

template <typename R>
TwoVectors transpose_times(const StoredMatrix<R>& matrix, const TwoVectors& v,
                           const CheckThreads& threads) {
  return by_columns(matrix, threads,
                    [&](const StoredMatrix<R>& columns) { return transpose_alone(columns, v); });
}

template <typename R>
std::vector<double> column_maxima(const StoredMatrix<R>& matrix) {
  std::vector<R> of_reals(index(matrix.reals_of_row()), R(0));
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    row_sums<R>().column_maxima(matrix.row(i), matrix.reals_of_row(), of_reals.data());
  std::vector<double> maxima(index(matrix.columns), 0);
  const auto parts = static_cast<std::size_t>(matrix.parts);
  for (std::size_t i = 0; i < of_reals.size(); ++i)
    maxima[i / parts] =
        std::max(maxima[i / parts], finite_or_infinity(static_cast<double>(of_reals[i])));
  return maxima;
}

template <typename R>
std::vector<double> row_maxima(const StoredMatrix<R>& matrix, const CheckThreads& threads) {
  std::vector<double> maxima(index(matrix.rows));
  threads.share(matrix.rows, 1, matrix.bytes(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      maxima[index(i)] = finite_or_infinity(
          static_cast<double>(row_sums<R>().maximum(matrix.row(i), matrix.reals_of_row())));
  });
  return maxima;
}

#define DUOBLAS_INSTANTIATE(R)                                                               \
  template TwoVectors times_in_halves(const StoredMatrix<R>&, const WeightVector&,           \
                                      std::span<const std::int64_t>, Magnitudes,             \
                                      const CheckThreads&);                                  \
  template TwoVectors transpose_times_in_halves(const StoredMatrix<R>&, const WeightVector&, \
                                                const CheckThreads&);                        \
  template TwoVectors times(const StoredMatrix<R>&, const TwoVectors&, const CheckThreads&); \
  template TwoVectors transpose_times(const StoredMatrix<R>&, const TwoVectors&,             \
                                      const CheckThreads&);                                  \
  template std::vector<double> column_maxima(const StoredMatrix<R>&);                        \
  template std::vector<double> row_maxima(const StoredMatrix<R>&, const CheckThreads&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

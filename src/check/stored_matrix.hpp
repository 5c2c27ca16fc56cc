// A matrix as it lies in memory, times a vector, in double precision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "check/check_threads.hpp"

namespace duoblas {

/// What a matrix stores of itself: all, or one triangle.
enum class Shape { general, symmetric, hermitian, triangular };

/// A vector of doubles, with an upper bound on |real part| + |imaginary part| for each element.
struct WeightVector {
  std::vector<double> values;  ///< one per element if `is_real`, else `parts`
  std::vector<double> magnitudes;
  bool is_real = true;
};

/// `rows` x `columns` elements of `parts` reals of type R each (1: real, 2: complex), rows `ld`
/// elements apart.
template <typename R>
struct StoredMatrix {
  const R* data = nullptr;
  std::int64_t rows = 0, columns = 0, ld = 0;
  int parts = 1;
  bool conjugated = false;

  const R* row(std::int64_t i) const { return data + i * ld * parts; }
  std::int64_t reals_of_row() const { return columns * parts; }
  std::size_t bytes() const { return static_cast<std::size_t>(rows * reals_of_row()) * sizeof(R); }
  StoredMatrix rows_from(std::int64_t first, std::int64_t count) const {
    return {row(first), count, columns, ld, parts, conjugated};
  }
  /// Every `step`-th row from `first` on.
  StoredMatrix every_row(std::int64_t first, std::int64_t step) const {
    return {row(first), (rows - first + step - 1) / step, columns, ld * step, parts, conjugated};
  }
  StoredMatrix columns_from(std::int64_t first, std::int64_t count) const {
    return {data + first * parts, rows, count, ld, parts, conjugated};
  }
};

enum class Magnitudes { summed, omitted };

/// Two vectors that share one set of magnitudes, which is stored in the first.
using TwoVectors = std::array<WeightVector, 2>;

/// M v as two vectors: the sum over the even columns and the sum over the odd ones. The magnitudes
/// are sums of |element| |v| over all columns. Columns whose indices are in `left_out` (ascending)
/// are not read; they may hold infinities. \pre v is real. \throws std::bad_alloc.
template <typename R>
TwoVectors times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v,
                           std::span<const std::int64_t> left_out,
                           Magnitudes magnitudes = Magnitudes::summed,
                           const CheckThreads& threads = {});

/// M^T v as two vectors: the sum over the even rows and the sum over the odd ones, with magnitudes
/// as above. Rows whose element of v is zero are not read. \pre v is real.
template <typename R>
TwoVectors transpose_times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v,
                                     const CheckThreads& threads = {});

/// M v for both vectors, and M^T v.
template <typename R>
TwoVectors times(const StoredMatrix<R>& matrix, const TwoVectors& v,
                 const CheckThreads& threads = {});
template <typename R>
TwoVectors transpose_times(const StoredMatrix<R>& matrix, const TwoVectors& v,
                           const CheckThreads& threads = {});

/// For each column, the largest magnitude of a real or an imaginary part; infinity where
/// one is not finite.
template <typename R>
std::vector<double> column_maxima(const StoredMatrix<R>& matrix);
/// The same for each row.
template <typename R>
std::vector<double> row_maxima(const StoredMatrix<R>& matrix, const CheckThreads& threads = {});

}  // namespace duoblas

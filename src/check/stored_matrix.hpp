// A matrix as it lies in memory, times a vector, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace duoblas {

/// A vector in doubles, and for each element a bound of |real part| + |imaginary part|.
struct WeightVector {
  std::vector<double> values;  ///< one for each element where `is_real`, else `parts`
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

enum class Magnitudes { summed, left_out };

/// Vectors with one set of magnitudes, the first one's.
using TwoVectors = std::array<WeightVector, 2>;

/// M v as two vectors, the sums over even columns and over odd ones, and sums of |element| |v| over
/// all. Columns of `left_out` are not read (ascending; they may hold
/// infinities). \pre v is real. \throws std::bad_alloc.
template <typename R>
TwoVectors times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v,
                           std::span<const std::int64_t> left_out,
                           Magnitudes magnitudes = Magnitudes::summed);

/// M^T v as two vectors, the sums over even rows and over odd ones, likewise. Rows whose element of
/// v is zero are not read. \pre v is real.
template <typename R>
TwoVectors transpose_times_in_halves(const StoredMatrix<R>& matrix, const WeightVector& v);

/// M v for both vectors, and M^T v.
template <typename R>
TwoVectors times(const StoredMatrix<R>& matrix, const TwoVectors& v);
template <typename R>
TwoVectors transpose_times(const StoredMatrix<R>& matrix, const TwoVectors& v);

/// Of each column the largest magnitude of a part; infinity where one is not finite.
template <typename R>
std::vector<double> column_maxima(const StoredMatrix<R>& matrix);
/// Of each row.
template <typename R>
std::vector<double> row_maxima(const StoredMatrix<R>& matrix);

}  // namespace duoblas

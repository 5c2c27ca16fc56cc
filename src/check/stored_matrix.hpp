// A matrix as it lies in memory, all of it or one triangle, and vectors by which checks multiply
// it.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "check/check_numbers.hpp"
#include "check/check_threads.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// What a matrix stores of itself: all, or one triangle (of more rows than columns, or fewer, a
/// trapezoid).
enum class MatrixShape { general, symmetric, hermitian, triangular };

/// One vector, or two that share one set of sizes: upper bounds of |real part| + |imaginary part|,
/// or what Sizes says of sums.
struct Vectors {
  Vectors() = default;
  /// Zeros of `of_parts` reals each (1: real, 2: complex).
  Vectors(std::int64_t elements, int of_parts, int vectors = 1);

  std::complex<double> at(std::int64_t i, int which = 0) const {
    const double* const value = &values[index(which)][index(i * parts)];
    return {value[0], parts == 2 ? value[1] : 0.0};
  }
  void set(std::int64_t i, std::complex<double> value, int which = 0) {
    double* const to = &values[index(which)][index(i * parts)];
    to[0] = value.real();
    if (parts == 2) to[1] = value.imag();
  }
  /// Adds factor * others, and to the sizes the others' times the factor's one-norm.
  void add(const Vectors& others, std::complex<double> factor = 1.0);
  /// Replaces elements from `first` on.
  void place(std::int64_t first, const Vectors& part);
  std::int64_t elements() const { return static_cast<std::int64_t>(sizes.size()); }
  /// The largest magnitude of a part of an element of either vector; infinity if one is not finite.
  double largest_part(std::int64_t i) const;

  int parts = 1, count = 1;
  std::array<std::vector<double>, 2> values;
  std::vector<double> sizes;
  /// Behind the first `known` elements are zeros. What they would be multiplied by is not read.
  std::int64_t known = 0;
  bool skips_zeros = false;  ///< nor what any other zero would be. \pre the matrix is turned
};

/// op(M) of `rows` x `columns` elements of `parts` reals of type R each, rows `ld` elements apart.
/// (A matrix that lies by columns is a turned one.) Elements that are not stored are not read.
template <typename R>
struct StoredMatrix {
  const R* data = nullptr;
  std::int64_t rows = 0, columns = 0, ld = 0;  ///< as stored
  int parts = 1;
  MatrixShape shape = MatrixShape::general;
  Uplo uplo = Uplo::upper;  ///< as stored
  Diag diag = Diag::non_unit;
  bool turned = false, conjugated = false;  ///< op
  bool real_diagonal = false;  ///< of a Hermitian one: imaginary parts there are not read

  const R* row(std::int64_t i) const { return data + i * ld * parts; }
  std::size_t bytes() const { return index(rows * columns * parts) * sizeof(R); }
  std::int64_t lines() const { return turned ? columns : rows; }
  std::int64_t length() const { return turned ? rows : columns; }
  /// Whether op(M) is lower triangular: row i has only zeros after the diagonal. \pre triangular.
  bool is_lower() const { return (uplo == Uplo::lower) != turned; }
  bool is_whole() const {
    return shape == MatrixShape::symmetric || shape == MatrixShape::hermitian;
  }

  StoredMatrix with(Op op) const {
    StoredMatrix other = *this;
    other.turned = turned != (op != Op::none);
    other.conjugated = conjugated != (op == Op::conj_transpose);
    return other;
  }
  StoredMatrix transposed() const { return with(Op::transpose); }
  StoredMatrix adjoint() const { return with(Op::conj_transpose); }
  StoredMatrix part(const R* first, std::int64_t of_rows, std::int64_t of_columns) const {
    StoredMatrix other = *this;
    other.data = first;
    other.rows = of_rows;
    other.columns = of_columns;
    return other;
  }
  StoredMatrix rows_from(std::int64_t first, std::int64_t count) const {
    return part(row(first), count, columns);
  }
  StoredMatrix columns_from(std::int64_t first, std::int64_t count) const {
    return part(data + first * parts, rows, count);
  }
  /// Every `step`-th row from `first` on.
  StoredMatrix every_row(std::int64_t first, std::int64_t step) const {
    StoredMatrix some = rows_from(first, (rows - first + step - 1) / step);
    some.ld *= step;
    return some;
  }
  /// Rows of op(M).
  StoredMatrix lines_from(std::int64_t first, std::int64_t count) const {
    return turned ? columns_from(first, count) : rows_from(first, count);
  }
  /// Columns of op(M).
  StoredMatrix steps_from(std::int64_t first, std::int64_t count) const {
    return turned ? rows_from(first, count) : columns_from(first, count);
  }
  /// The columns of a stored row that count.
  Interval stored_of(std::int64_t of_row) const {
    if (shape == MatrixShape::general) return {0, columns};
    if (uplo == Uplo::lower) return {0, std::min(of_row + 1, columns)};
    const std::int64_t first = std::min(of_row, columns);
    return {first, columns - first};
  }
  /// An element of op(M).
  std::complex<double> at(std::int64_t i, std::int64_t j) const {
    if (turned) std::swap(i, j);
    bool conjugates = conjugated;
    if (shape != MatrixShape::general && i != j && (i > j) != (uplo == Uplo::lower)) {
      if (shape == MatrixShape::triangular) return 0;
      std::swap(i, j);
      conjugates = conjugates != (shape == MatrixShape::hermitian);
    }
    if (i == j && shape == MatrixShape::triangular && diag == Diag::unit) return 1;
    const R* const element = row(i) + j * parts;
    const bool is_real = parts == 1 || (i == j && shape == MatrixShape::hermitian && real_diagonal);
    if (is_real) return static_cast<double>(element[0]);
    const auto imaginary = static_cast<double>(element[1]);
    return {static_cast<double>(element[0]), conjugates ? -imaginary : imaginary};
  }
};

/// For each column as stored, the largest magnitude of a real or an imaginary part; infinity where
/// one is not finite.
template <typename R>
std::vector<double> column_maxima(const StoredMatrix<R>& matrix);
/// The same for each row as stored.
template <typename R>
std::vector<double> row_maxima(const StoredMatrix<R>& matrix, const CheckThreads& threads = {});

}  // namespace duoblas

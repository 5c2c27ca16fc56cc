// A matrix as a chain of factors, as LAPACK leaves them in memory, times a vector: in double
// precision, with the sizes of what is added up, from which bounds on rounding errors are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <duoblas/types.hpp>

#include "check/check_numbers.hpp"
#include "check/check_threads.hpp"
#include "check/stored_matrix.hpp"
#include "problem/element_types.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// The type that checks of T compute in.
template <typename T>
using Wide = std::conditional_t<is_real<T>, double, std::complex<double>>;

/// What is added up beside the terms of a sum: nothing, their magnitudes, or their squares.
enum class Sizes { none, magnitudes, squares };

/// A vector, and of each element the sum of its terms' sizes.
template <typename T>
struct SizedVector {
  explicit SizedVector(std::int64_t count = 0)
      : values(index(count)), sizes(index(count)), known(count) {}

  void add(std::int64_t line, Wide<T> term, double size) {
    values[index(line)] += term;
    sizes[index(line)] += size;
  }
  void add(const SizedVector& others) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += others.values[i];
      sizes[i] += others.sizes[i];
    }
  }

  std::vector<Wide<T>> values;
  std::vector<double> sizes;
  /// Behind the first `known` elements are zeros. What they would be multiplied by is not read.
  std::int64_t known = 0;
};

/// op(M) of a matrix that is stored by columns, of which maybe a triangle or a trapezoid counts.
template <typename T>
struct MatrixFactor {
  const T* data = nullptr;
  std::int64_t ld = 0, rows = 0, columns = 0;  ///< as stored
  Shape shape = Shape::general;
  Uplo uplo = Uplo::upper;
  Diag diag = Diag::non_unit;
  /// op. \pre both, or none, of a Hermitian matrix.
  bool turned = false, conjugated = false;
  /// Of a Hermitian matrix: imaginary parts on the diagonal are not read.
  bool real_diagonal = false;
  /// Not empty: magnitudes are taken for roots[i] roots[j]. A positive definite matrix has no
  /// larger elements, nor has its Cholesky factor's |L| |L^H|.
  std::vector<double> roots = {};
  double least = 0;  ///< added to each magnitude. \pre general

  std::int64_t lines() const { return turned ? columns : rows; }
  std::size_t bytes() const { return index(rows * columns) * sizeof(T); }
  /// The stored rows of a column that count.
  Interval stored_rows(std::int64_t column) const {
    const bool is_lower = shape != Shape::general && uplo == Uplo::lower;
    const bool is_upper = shape != Shape::general && uplo == Uplo::upper;
    const std::int64_t first = is_lower ? std::min(column, rows) : 0;
    return {first, (is_upper ? std::min(column + 1, rows) : rows) - first};
  }
  /// Of a Hermitian matrix the diagonal counts once, and ones are not stored.
  bool has_diagonal_apart() const { return shape == Shape::hermitian || diag == Diag::unit; }
  Interval rows_beside_diagonal(std::int64_t column) const {
    const Interval all = stored_rows(column);
    if (!has_diagonal_apart() || all.count == 0) return all;
    return {all.first + (uplo == Uplo::lower ? 1 : 0), all.count - 1};
  }
  /// An element of op(M).
  Wide<T> at(std::int64_t i, std::int64_t j) const;
  double magnitude(std::int64_t i, std::int64_t j) const;
  /// Adds to M v what a stored column contributes.
  void add_column(SizedVector<T>& to, const SizedVector<T>& v, std::int64_t column,
                  Sizes sizes) const;
  /// v = inv(M) v. \pre triangular.
  void divide(std::vector<Wide<T>>& v) const;
};

/// Rows that trade places, with those that pivots name: from the first on, or backward.
struct Permutation {
  const std::int32_t* pivots = nullptr;  ///< from 1 on
  std::int64_t count = 0;
  bool backward = false;

  template <typename Elements>
  void apply(Elements& of) const {
    for (std::int64_t step = 0; step < count; ++step) {
      const std::int64_t i = backward ? count - 1 - step : step;
      std::swap(of[index(i)], of[index(pivots[i] - 1)]);
    }
  }
  /// Where the element was that comes to this row.
  std::int64_t source_of(std::int64_t row) const {
    for (std::int64_t step = 0; step < count; ++step) {
      const std::int64_t i = backward ? step : count - 1 - step, other = pivots[i] - 1;
      row = row == i ? other : row == other ? i : row;
    }
    return row;
  }
};

/// Q, a product of reflectors I - tau v v^H, or Q^H. Only values are multiplied: the norm of a
/// vector stays, which bounds its errors.
template <typename T>
struct Reflectors {
  const T* vectors = nullptr;
  std::int64_t ld = 0, rows = 0, count = 0;
  const T* tau = nullptr;
  bool adjoint = false;

  void apply(std::vector<Wide<T>>& v) const;
};

template <typename T>
using Factor = std::variant<MatrixFactor<T>, Permutation, Reflectors<T>>;
/// The product of these factors, in their order; of none, the identity.
template <typename T>
using Chain = std::vector<Factor<T>>;

/// A sum over columns: `add(sums, column)` adds one. \throws std::bad_alloc.
template <typename T, typename Add>
SizedVector<T> sum_of_columns(std::int64_t lines, std::int64_t columns, std::size_t bytes,
                              const CheckThreads& threads, const Add& add) {
  constexpr std::int64_t columns_at_once = 16;
  const int shared_by = threads.for_bytes(bytes);
  const DealtLines dealt{columns, columns_at_once, shared_by};
  std::vector<SizedVector<T>> sums(index(shared_by), SizedVector<T>(lines));
  threads.each(shared_by, [&](std::int64_t piece) {
    dealt.of_piece(piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) add(sums[index(piece)], j);
    });
  });
  for (std::size_t piece = 1; piece < sums.size(); ++piece) sums.front().add(sums[piece]);
  return std::move(sums.front());
}

/// The chain times v. \throws std::bad_alloc.
template <typename T>
SizedVector<T> product(const Chain<T>& chain, SizedVector<T> v, Sizes sizes,
                       const CheckThreads& threads = {});
/// The product's adjoint.
template <typename T>
Chain<T> adjoint(const Chain<T>& chain);
/// A row of the product as a column: the adjoint times a unit vector of `size` elements.
template <typename T>
SizedVector<T> adjoint_of_row(const Chain<T>& chain, std::int64_t row, std::int64_t size,
                              Sizes sizes, const CheckThreads& threads = {});
/// v = inv(product) v. \pre triangles and permutations.
template <typename T>
void solve(const Chain<T>& chain, std::vector<Wide<T>>& v);

/// The largest magnitude; NaN if there is one.
template <typename T>
double largest_magnitude(const T* column, std::int64_t count);
/// The Euclidean norm; infinity or NaN if an element is.
template <typename T>
double norm_of(const T* column, std::int64_t count);

}  // namespace duoblas

// A matrix as a level-3 routine reads it: with an op, or with only one triangle stored.
#pragma once

#include <complex>
#include <cstdint>

#include <duoblas/types.hpp>

#include "check/stored_matrix.hpp"

namespace duoblas {

/// op(M). Elements that M's shape does not store are not read. \pre a symmetric or Hermitian matrix
/// has no op; `stored` is not conjugated.
template <typename R>
struct ShapedMatrix {
  StoredMatrix<R> stored;
  Shape shape = Shape::general;
  Op op = Op::none;
  Uplo uplo = Uplo::upper;
  Diag diag = Diag::non_unit;

  std::int64_t rows() const { return op == Op::none ? stored.rows : stored.columns; }
  std::int64_t columns() const { return op == Op::none ? stored.columns : stored.rows; }
  /// Whether op(M) is lower triangular: row i has only zeros after the diagonal. \pre triangular.
  bool is_lower() const { return (uplo == Uplo::lower) == (op == Op::none); }

  /// One element.
  std::complex<double> at(std::int64_t i, std::int64_t j) const;
  /// Both products, and sums of |element| |v|. \throws std::bad_alloc. \pre vectors of a complex
  /// matrix are complex.
  TwoVectors times(const TwoVectors& v, const CheckThreads& threads = {}) const;

 private:
  std::complex<double> without_op(std::int64_t i, std::int64_t j) const;
  TwoVectors times_general(const TwoVectors& v, const CheckThreads& threads) const;
  void add_lines(TwoVectors& result, const TwoVectors& v, std::int64_t first,
                 std::int64_t count) const;
};

/// Adds factor * part to `to`, from element `at` on, and to the magnitudes with the factor's
/// one-norm.
void add_to(TwoVectors& to, std::int64_t at, const TwoVectors& part, int parts,
            std::complex<double> factor = 1.0);
TwoVectors two_zero_vectors(std::int64_t elements, int parts);

}  // namespace duoblas

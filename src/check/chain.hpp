// A matrix as a chain of factors, as LAPACK leaves them in memory, times a vector.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "check/rows_product.hpp"

namespace duoblas {

template <typename R>
struct MatrixFactor : StoredMatrix<R> {
  MatrixFactor(const StoredMatrix<R>& matrix) : StoredMatrix<R>(matrix) {}

  double least = 0;  ///< added to each magnitude. \pre general
};

/// Rows that are swapped with those that pivots name: from the first on, or backward.
struct Permutation {
  const std::int32_t* pivots = nullptr;  ///< from 1 on
  std::int64_t count = 0;
  bool backward = false;

  /// Calls swap(i, j) for rows that are swapped, in their order.
  template <typename Swap>
  void apply(const Swap& swap) const {
    for (std::int64_t step = 0; step < count; ++step) {
      const std::int64_t i = backward ? count - 1 - step : step;
      swap(i, std::int64_t{pivots[i]} - 1);
    }
  }
  Permutation adjoint() const { return {pivots, count, !backward}; }
};

/// Q, a product of reflectors I - tau v v^H, or Q^H. Only values are multiplied: the norm of a
/// vector stays, which bounds its errors.
template <typename R>
struct Reflectors {
  StoredMatrix<R> vectors;  ///< as stored: row k is v of reflector k from element k + 1 on
  const R* tau = nullptr;
  bool is_adjoint = false;

  Reflectors adjoint() const { return {vectors, tau, !is_adjoint}; }
};

template <typename R>
using Factor = std::variant<MatrixFactor<R>, Permutation, Reflectors<R>>;
/// The product of these factors, in their order; of none, the identity.
template <typename R>
using Chain = std::vector<Factor<R>>;

/// The chain times one vector. \throws std::bad_alloc.
template <typename R>
Vectors product(const Chain<R>& chain, Vectors v, Sizes sizes, const CheckThreads& threads = {});
/// The product's adjoint.
template <typename R>
Chain<R> adjoint(const Chain<R>& chain);
/// A row of a matrix as a column: the adjoint times a unit vector.
template <typename R>
Vectors adjoint_of_row(const MatrixFactor<R>& matrix, std::int64_t row);
/// A row of the product likewise, of `size` elements of `parts` reals.
template <typename R>
Vectors adjoint_of_row(const Chain<R>& chain, std::int64_t row, std::int64_t size, int parts,
                       Sizes sizes, const CheckThreads& threads = {});
/// v = inv(product) v. \pre triangles and permutations.
template <typename R>
void solve(const Chain<R>& chain, Vectors& v);

/// The Euclidean norm of so many reals; infinity or NaN if one is.
template <typename R>
double norm_of(const R* reals, std::int64_t count);

}  // namespace duoblas

// The identity of a product, or of a level-3 routine: terms of its result and operands, which add
// up to zero. And one element of it, in higher precision.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "check/check_bounds.hpp"
#include "check/rows_product.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The term factor * matrix, or factor * matrix * matrix. `is_result`: the factor is -1, and has no
/// rounding errors of its own.
template <typename R>
struct Term {
  std::complex<double> factor;
  std::vector<StoredMatrix<R>> matrices;
  bool is_result = false;
};

/// The sum of all these terms. The first one is a product. For trsm op(A) X is, and its error is
/// relative to the solution's size.
template <typename R>
struct Identity {
  std::vector<Term<R>> terms;

  const StoredMatrix<R>& first() const { return terms.front().matrices.front(); }
  const StoredMatrix<R>& second() const { return terms.front().matrices.back(); }
};

/// What a routine overwrites, with its shape.
template <typename R>
StoredMatrix<R> written_matrix(const GemmProblem& product);
template <typename R>
StoredMatrix<R> written_matrix(const Level3Problem& problem);

/// `c0`: that, as it was before; without data if its old values are not needed.
template <typename R>
Identity<R> identity_of(const GemmProblem& product, const StoredMatrix<R>& c0);
template <typename R>
Identity<R> identity_of(const Level3Problem& problem, const StoredMatrix<R>& c0);

/// The operands of a product, op included.
template <typename R>
StoredMatrix<R> matrix_a(const GemmProblem& product);
template <typename R>
StoredMatrix<R> matrix_b(const GemmProblem& product);

/// k terms, four products and sums for each of a complex one, and what alpha and beta add.
template <typename R>
ElementRounding rounding_of_element(const GemmProblem& product, double slack);
template <typename R>
ElementRounding rounding_of_element(const Level3Problem& problem, double slack);

/// The type in which an element is computed again: its own errors do not count, but where long
/// double is no wider than double.
template <typename R>
using Wider = std::conditional_t<std::is_same_v<R, float>, double, long double>;

/// The terms of one element, but for the result, with what bounds their rounding errors.
template <typename R>
struct IdentityElement {
  Wider<R> real = 0, imaginary = 0;  ///< their sum
  Wider<R> magnitude = 0;            ///< the sum of their magnitudes
  Wider<R> largest = 0;              ///< of the intermediate sums, before they are scaled
  /// By how much numbers that are taken for zero are multiplied: the factors, and the elements of
  /// products with their factors.
  Wider<R> factors = 0, operands = 0;
  bool is_finite = true;  ///< all that was given
  std::complex<double> result;

  std::complex<double> expected() const {
    return {static_cast<double>(real), static_cast<double>(imaginary)};
  }
  /// Of the worse part; infinity if one is not finite.
  Wider<R> error() const;
  /// Which the error of either part does not exceed, if the result is right.
  Wider<R> bound(const ElementRounding& rounding) const;
};
template <typename R>
IdentityElement<R> element_of(const Identity<R>& identity, std::int64_t i, std::int64_t j);

/// The elements of a row that differ from the identity's, in double precision, by more than half
/// their bound without underflow. \throws std::bad_alloc.
template <typename R>
std::vector<std::int64_t> doubtful_in_row(const Identity<R>& identity,
                                          const ElementRounding& rounding, std::int64_t row,
                                          const CheckThreads& threads);

}  // namespace duoblas

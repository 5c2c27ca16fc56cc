// The identity of a product, or of a level-3 routine: terms of its result and operands, which add
// up to zero. And one element of it, in higher precision.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "check/shaped_matrix.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The term factor * first * second.
template <typename R>
struct Term {
  std::complex<double> factor;
  ShapedMatrix<R> first, second;
};
/// The term factor * matrix. `is_result`: the factor is -1, and has no rounding errors of its own.
template <typename R>
struct Summand {
  std::complex<double> factor;
  ShapedMatrix<R> matrix;
  bool is_result = false;
};

/// The sum of all these terms. For trsm the product op(A) X is one of them, and its error is
/// relative to the solution's size.
template <typename R>
struct Identity {
  std::vector<Term<R>> terms;
  std::vector<Summand<R>> summands;
};

/// `c0`: the old values of C, rows of n elements, as far as C is stored; null if they are not
/// needed.
template <typename R>
Identity<R> identity_of(const Level3Problem& problem, const R* c0);
/// `c0`: without data if beta == 0.
template <typename R>
Identity<R> identity_of(const GemmProblem& product, const StoredMatrix<R>& c0);

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
};
template <typename R>
IdentityElement<R> element_of(const Identity<R>& identity, std::int64_t i, std::int64_t j);

}  // namespace duoblas

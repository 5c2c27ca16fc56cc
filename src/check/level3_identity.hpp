// A level-3 routine's identity: terms of its result and operands, which add up to zero.
#pragma once

#include <complex>
#include <vector>

#include "check/shaped_matrix.hpp"
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

}  // namespace duoblas

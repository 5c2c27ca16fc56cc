// What a level-3 routine's result and operands add up to: zero.
#pragma once

#include <complex>
#include <vector>

#include "check/shaped_matrix.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// factor first second.
template <typename R>
struct Term {
  std::complex<double> factor;
  ShapedMatrix<R> first, second;
};
/// factor matrix. `is_result`: the factor is -1, and it has no rounding errors of its own.
template <typename R>
struct Summand {
  std::complex<double> factor;
  ShapedMatrix<R> matrix;
  bool is_result = false;
};

/// The sum of all of these. Of trsm, op(A) X - alpha B: that is a term, whose error is relative to
/// the solution's size.
template <typename R>
struct Identity {
  std::vector<Term<R>> terms;
  std::vector<Summand<R>> summands;
};

/// `c0`: what C was, rows of n elements, as far as C is stored; null where that is not needed.
template <typename R>
Identity<R> identity_of(const Level3Problem& problem, const R* c0);

}  // namespace duoblas

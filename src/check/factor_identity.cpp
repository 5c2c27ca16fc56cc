#include "check/factor_identity.hpp"

#include <algorithm>
#include <complex>

#include "problem/inverse_routines.hpp"
#include "problem/solve_routines.hpp"

namespace duoblas {
namespace {

template <typename T>
MatrixFactor<T> adjoint_of(const MatrixFactor<T>& matrix) {
  return std::get<MatrixFactor<T>>(adjoint<T>({matrix}).front());
}

template <typename T>
MatrixFactor<T> triangle_of(MatrixFactor<T> matrix, Uplo uplo, Diag diag = Diag::non_unit) {
  matrix.shape = Shape::triangular;
  matrix.uplo = uplo;
  matrix.diag = diag;
  return matrix;
}

// L U, of m x n elements.
template <typename T>
Chain<T> lower_upper(const MatrixFactor<T>& factors) {
  const std::int64_t depth = std::min(factors.rows, factors.columns);
  MatrixFactor<T> lower = triangle_of(factors, Uplo::lower, Diag::unit);
  MatrixFactor<T> upper = triangle_of(factors, Uplo::upper);
  lower.columns = upper.rows = depth;
  return {lower, upper};
}

// L L^H or U^H U.
template <typename T>
Chain<T> cholesky(const MatrixFactor<T>& factors, Uplo uplo) {
  const MatrixFactor<T> triangle = triangle_of(factors, uplo), turned = adjoint_of(triangle);
  if (uplo == Uplo::lower) return {triangle, turned};
  return {turned, triangle};
}

// A, by its factors.
template <typename T>
Chain<T> factorised(const LapackProblem& p, const MatrixFactor<T>& factors) {
  if (is_definite(p.routine)) return cholesky(factors, p.uplo);
  Chain<T> chain = lower_upper(factors);
  chain.insert(chain.begin(), Permutation{p.pivots, p.n, true});
  return chain;
}

template <typename T>
Chain<T> conjugated(Chain<T> chain) {
  for (Factor<T>& factor : chain)
    if (auto* const matrix = std::get_if<MatrixFactor<T>>(&factor))
      matrix->conjugated = !matrix->conjugated;
  return chain;
}

// op(A)^H
template <typename T>
Chain<T> adjoint_of_op(Op op, const Chain<T>& chain) {
  if (op == Op::none) return adjoint<T>(chain);
  return op == Op::transpose ? conjugated<T>(chain) : chain;
}

}  // namespace

template <typename T>
MatrixFactor<T> written_matrix(const LapackProblem& p) {
  if (solves(p.routine)) return {static_cast<const T*>(p.b), p.ldb, p.n, p.right_sides};
  MatrixFactor<T> a{static_cast<const T*>(p.a), p.lda, rows_of_matrix(p), p.n};
  if (!is_definite(p.routine)) return a;
  a.shape = Shape::hermitian;
  a.uplo = p.uplo;
  a.real_diagonal = p.routine == LapackRoutine::potrf;
  return a;
}

template <typename T>
FactorIdentity<T> identity_of(const LapackProblem& p, const MatrixFactor<T>& kept) {
  const MatrixFactor<T> result = written_matrix<T>(p);
  const std::int64_t rows = result.rows, columns = result.columns;
  FactorIdentity<T> of;
  of.lines = rows;
  of.size = of.depth = of.underflows = p.n;
  if (solves(p.routine)) {
    const MatrixFactor<T> factors{static_cast<const T*>(p.a), p.lda, p.n, p.n};
    of.is = {{adjoint_of(result)}, adjoint_of_op<T>(p.op, factorised(p, factors))};
    of.should_be = {{adjoint_of(kept)}, {}};
    of.lines = columns;
    of.by_columns = true;
  } else if (inverts(p.routine)) {
    of.is = {{result}, factorised(p, kept)};
  } else if (is_orthogonal(p.routine)) {
    const bool factorises = p.routine == LapackRoutine::geqrf;
    const bool makes_q = p.routine == LapackRoutine::orgqr;
    Reflectors<T> q{result.data, result.ld, rows, factorises ? std::min(p.m, p.n) : p.reflectors,
                    static_cast<const T*>(p.tau)};
    if (makes_q) {
      q.vectors = kept.data;
      q.ld = kept.ld;
    } else if (!factorises) {
      q.vectors = static_cast<const T*>(p.b);
      q.ld = p.ldb;
    }
    q.adjoint = factorises || makes_q || p.op == Op::none;
    if (factorises) {
      of.is.lines = {adjoint_of(triangle_of(result, Uplo::upper)), q};
      of.should_be.lines = {adjoint_of(kept)};
    } else {
      of.is.lines = {adjoint_of(result)};
      of.should_be.known = {q};
      if (!makes_q) of.should_be.lines = {adjoint_of(kept)};
    }
    of.sizes = Sizes::none;
    of.lines = columns;
    of.size = rows;
    of.depth = q.count;
    of.underflows = rows + q.count;
    of.by_columns = true;
  } else {
    const bool is_lu = p.routine == LapackRoutine::getrf;
    of.depth = std::min(rows, columns);
    of.underflows = of.depth + 1;
    of.is.lines = is_lu ? lower_upper(result) : cholesky(result, p.uplo);
    if (is_lu) of.should_be.lines = {Permutation{p.pivots, of.depth}};
    of.should_be.lines.push_back(kept);
    of.sizes = Sizes::squares;
  }
  return of;
}

#define DUOBLAS_INSTANTIATE(T)                                   \
  template MatrixFactor<T> written_matrix(const LapackProblem&); \
  template FactorIdentity<T> identity_of(const LapackProblem&, const MatrixFactor<T>&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
DUOBLAS_INSTANTIATE(std::complex<float>);
DUOBLAS_INSTANTIATE(std::complex<double>);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

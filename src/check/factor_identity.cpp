#include "check/factor_identity.hpp"

#include <algorithm>

#include "problem/lapack_problem.hpp"

namespace duoblas {
namespace {

template <typename R>
StoredMatrix<R> by_columns(const void* data, std::int64_t ld, std::int64_t rows,
                           std::int64_t columns, Precision precision) {
  const int parts = is_complex(precision) ? 2 : 1;
  return StoredMatrix<R>{static_cast<const R*>(data), columns, rows, ld, parts}.transposed();
}

constexpr Uplo other(Uplo uplo) {
  return uplo == Uplo::lower ? Uplo::upper : Uplo::lower;
}

// `uplo`: of the matrix that lies by columns.
template <typename R>
StoredMatrix<R> triangle_of(StoredMatrix<R> matrix, Uplo uplo, Diag diag = Diag::non_unit) {
  matrix.shape = MatrixShape::triangular;
  matrix.uplo = other(uplo);
  matrix.diag = diag;
  return matrix;
}

// L U, of m x n elements.
template <typename R>
Chain<R> lower_upper(const StoredMatrix<R>& factors) {
  const std::int64_t depth = std::min(factors.rows, factors.columns);
  const StoredMatrix<R> lower = triangle_of(factors.steps_from(0, depth), Uplo::lower, Diag::unit);
  const StoredMatrix<R> upper = triangle_of(factors.lines_from(0, depth), Uplo::upper);
  return {lower, upper};
}

// L L^H or U^H U.
template <typename R>
Chain<R> cholesky(const StoredMatrix<R>& factors, Uplo uplo) {
  const StoredMatrix<R> triangle = triangle_of(factors, uplo), turned = triangle.adjoint();
  if (uplo == Uplo::lower) return {triangle, turned};
  return {turned, triangle};
}

// A, by its factors.
template <typename R>
Chain<R> factorised(const LapackProblem& p, const StoredMatrix<R>& factors) {
  if (is_definite(p.routine)) return cholesky(factors, p.uplo);
  Chain<R> chain = lower_upper(factors);
  chain.insert(chain.begin(), Permutation{p.pivots, p.n, true});
  return chain;
}

// op(A)^H
template <typename R>
Chain<R> adjoint_of_op(Op op, Chain<R> chain) {
  if (op == Op::none) return adjoint<R>(chain);
  for (Factor<R>& factor : chain)
    if (auto* const matrix = std::get_if<MatrixFactor<R>>(&factor))
      matrix->conjugated = matrix->conjugated != (op == Op::transpose);
  return chain;
}

}  // namespace

template <typename R>
StoredMatrix<R> written_matrix(const LapackProblem& p) {
  if (solves(p.routine)) return by_columns<R>(p.b, p.ldb, p.n, p.right_sides, p.precision);
  StoredMatrix<R> a = by_columns<R>(p.a, p.lda, rows_of_matrix(p), p.n, p.precision);
  if (!is_definite(p.routine)) return a;
  a.shape = MatrixShape::hermitian;
  a.uplo = other(p.uplo);
  a.real_diagonal = p.routine == LapackRoutine::potrf;
  return a;
}

template <typename R>
FactorIdentity<R> identity_of(const LapackProblem& p, const StoredMatrix<R>& saved) {
  const StoredMatrix<R> result = written_matrix<R>(p);
  const std::int64_t rows = result.lines(), columns = result.length();
  FactorIdentity<R> of;
  of.lines = rows;
  of.size = of.depth = of.underflows = p.n;
  if (solves(p.routine)) {
    const StoredMatrix<R> factors = by_columns<R>(p.a, p.lda, p.n, p.n, p.precision);
    of.is = {{result.adjoint()}, adjoint_of_op<R>(p.op, factorised(p, factors))};
    of.should_be = {{saved.adjoint()}, {}};
    of.lines = columns;
    of.by_columns = true;
  } else if (is_orthogonal(p.routine)) {
    const bool factorises = p.routine == LapackRoutine::geqrf;
    const bool makes_q = p.routine == LapackRoutine::orgqr;
    const StoredMatrix<R> vectors =
        factorises ? result
        : makes_q  ? saved
                   : by_columns<R>(p.b, p.ldb, rows, p.reflectors, p.precision);
    const std::int64_t count = factorises ? std::min(p.m, p.n) : p.reflectors;
    const Reflectors<R> q{vectors.rows_from(0, count), static_cast<const R*>(p.tau),
                          factorises || makes_q || p.op == Op::none};
    if (factorises) {
      of.is.lines = {triangle_of(result, Uplo::upper).adjoint(), q};
      of.should_be.lines = {saved.adjoint()};
    } else {
      of.is.lines = {result.adjoint()};
      of.should_be.known = {q};
      if (!makes_q) of.should_be.lines = {saved.adjoint()};
    }
    of.sizes = Sizes::none;
    of.lines = columns;
    of.size = rows;
    of.depth = count;
    of.underflows = rows + count;
    of.by_columns = true;
  } else {
    const bool is_lu = p.routine == LapackRoutine::getrf;
    of.depth = std::min(rows, columns);
    of.underflows = of.depth + 1;
    of.is.lines = is_lu ? lower_upper(result) : cholesky(result, p.uplo);
    if (is_lu) of.should_be.lines = {Permutation{p.pivots, of.depth}};
    of.should_be.lines.push_back(saved);
    of.sizes = Sizes::squares;
  }
  return of;
}

#define DUOBLAS_INSTANTIATE(R)                                   \
  template StoredMatrix<R> written_matrix(const LapackProblem&); \
  template FactorIdentity<R> identity_of(const LapackProblem&, const StoredMatrix<R>&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

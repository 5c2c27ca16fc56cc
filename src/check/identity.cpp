#include "check/identity.hpp"

#include <algorithm>

#include "check/check_numbers.hpp"

namespace duoblas {

template <typename R>
Identity<R> identity_of(const Level3Problem& p, const R* c0) {
  const int parts = is_complex(p.precision) ? 2 : 1;
  const auto matrix = [&](const void* data, StoredShape shape, std::int64_t ld) {
    return ShapedMatrix<R>{{static_cast<const R*>(data), shape.rows, shape.cols, ld, parts}};
  };
  const bool left = p.side == Side::left;
  ShapedMatrix<R> a = matrix(p.a, stored_a(p), p.lda);
  ShapedMatrix<R> c = matrix(p.c, stored_c(p), p.ldc);
  const Shape whole = is_hermitian(p.routine) ? Shape::hermitian : Shape::symmetric;
  if (updates_triangle(p.routine))
    c.shape = whole;
  else
    a.shape = is_in_place(p.routine) ? Shape::triangular : whole;
  a.uplo = c.uplo = p.uplo;
  a.diag = p.diag;
  ShapedMatrix<R> old = c;
  old.stored.data = c0;
  old.stored.ld = p.n;

  const auto multiplied = [&](std::complex<double> alpha, const ShapedMatrix<R>& by) {
    return left ? Term<R>{alpha, a, by} : Term<R>{alpha, by, a};
  };
  Identity<R> identity;
  if (is_in_place(p.routine)) {
    a.op = p.op;
    if (p.routine == Routine::trmm) return {{multiplied(p.alpha, old)}, {{-1.0, c, true}}};
    return {{multiplied(-1.0, c)}, {{p.alpha, old, false}}};
  }
  if (updates_triangle(p.routine)) {
    ShapedMatrix<R> b = has_b(p.routine) ? matrix(p.b, stored_b(p), p.ldb) : a;
    ShapedMatrix<R> turned_a = a, turned_b = b;
    const Op turn = is_hermitian(p.routine) ? Op::conj_transpose : Op::transpose;
    const bool by_rows = p.op == Op::none;
    a.op = b.op = by_rows ? Op::none : turn;
    turned_a.op = turned_b.op = by_rows ? turn : Op::none;
    identity.terms.push_back({p.alpha, a, turned_b});
    if (is_rank_2k(p.routine))
      identity.terms.push_back(
          {is_hermitian(p.routine) ? std::conj(p.alpha) : p.alpha, b, turned_a});
  } else {
    identity.terms.push_back(multiplied(p.alpha, matrix(p.b, stored_b(p), p.ldb)));
  }
  identity.summands.push_back({-1.0, c, true});
  if (p.beta != 0.0) identity.summands.push_back({p.beta, old, false});
  return identity;
}

template <typename R>
Identity<R> identity_of(const GemmProblem& p, const StoredMatrix<R>& c0) {
  const int parts = is_complex(p.precision) ? 2 : 1;
  const auto matrix = [&](const void* data, std::int64_t rows, std::int64_t columns,
                          std::int64_t ld, Op op) {
    return ShapedMatrix<R>{
        {static_cast<const R*>(data), rows, columns, ld, parts}, Shape::general, op};
  };
  Identity<R> identity{{{p.alpha, matrix(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.op_a),
                         matrix(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.op_b)}},
                       {{-1.0, matrix(p.c, p.m, p.n, p.ldc, Op::none), true}}};
  if (c0.data != nullptr) identity.summands.push_back({p.beta, {c0}, false});
  return identity;
}

namespace {

template <typename R>
void add(IdentityElement<R>& to, std::complex<double> factor, Wider<R> real, Wider<R> imaginary) {
  to.real += factor.real() * real;
  to.imaginary += factor.real() * imaginary;
  if (factor.imag() == 0) return;
  to.real -= factor.imag() * imaginary;
  to.imaginary += factor.imag() * real;
}

}  // namespace

template <typename R>
IdentityElement<R> element_of(const Identity<R>& identity, std::int64_t i, std::int64_t j) {
  using W = Wider<R>;
  IdentityElement<R> element;
  for (const Term<R>& term : identity.terms) {
    W real = 0, imaginary = 0, magnitude = 0, sizes = 0;
    for (std::int64_t l = 0; l < term.first.columns(); ++l) {
      const std::complex<double> x = term.first.at(i, l), y = term.second.at(l, j);
      real += W(x.real()) * y.real() - W(x.imag()) * y.imag();
      imaginary += W(x.real()) * y.imag() + W(x.imag()) * y.real();
      magnitude += W(one_norm(x)) * one_norm(y);
      sizes += W(one_norm(x)) + one_norm(y);
      element.is_finite = element.is_finite && is_finite(x) && is_finite(y);
    }
    const W factor = one_norm(term.factor);
    add(element, term.factor, real, imaginary);
    element.magnitude += factor * magnitude;
    element.largest = std::max(element.largest, magnitude);
    element.factors += factor;
    element.operands += factor * sizes;
  }
  for (const Summand<R>& summand : identity.summands) {
    const std::complex<double> value = summand.matrix.at(i, j);
    if (summand.is_result) {
      element.result = value;
      continue;
    }
    add(element, summand.factor, value.real(), value.imag());
    element.magnitude += W(one_norm(summand.factor)) * one_norm(value);
    element.factors += one_norm(summand.factor);
    element.is_finite = element.is_finite && is_finite(value);
  }
  element.largest = std::max(element.largest, element.magnitude);
  return element;
}

#define DUOBLAS_INSTANTIATE(R)                                                  \
  template Identity<R> identity_of(const Level3Problem&, const R*);             \
  template Identity<R> identity_of(const GemmProblem&, const StoredMatrix<R>&); \
  template IdentityElement<R> element_of(const Identity<R>&, std::int64_t, std::int64_t)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

#include "check/level3_identity.hpp"

#include <cstdint>

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

template Identity<float> identity_of(const Level3Problem&, const float*);
template Identity<double> identity_of(const Level3Problem&, const double*);

}  // namespace duoblas

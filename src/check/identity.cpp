#include "check/identity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace duoblas {
namespace {

int parts_of(Precision precision) {
  return is_complex(precision) ? 2 : 1;
}

template <typename R>
StoredMatrix<R> matrix_of(const void* data, std::int64_t rows, std::int64_t columns,
                          std::int64_t ld, Precision precision) {
  return {static_cast<const R*>(data), rows, columns, ld, parts_of(precision)};
}

}  // namespace

template <typename R>
StoredMatrix<R> matrix_a(const GemmProblem& p) {
  return matrix_of<R>(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.precision).with(p.op_a);
}
template <typename R>
StoredMatrix<R> matrix_b(const GemmProblem& p) {
  return matrix_of<R>(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.precision).with(p.op_b);
}
template <typename R>
StoredMatrix<R> written_matrix(const GemmProblem& p) {
  return matrix_of<R>(p.c, p.m, p.n, p.ldc, p.precision);
}

template <typename R>
Identity<R> identity_of(const GemmProblem& p, const StoredMatrix<R>& c0) {
  Identity<R> identity{
      {{p.alpha, {matrix_a<R>(p), matrix_b<R>(p)}}, {-1.0, {written_matrix<R>(p)}, true}}};
  if (c0.data != nullptr) identity.terms.push_back({p.beta, {c0}});
  return identity;
}

template <typename R>
StoredMatrix<R> written_matrix(const Level3Problem& p) {
  const StoredShape stored = stored_c(p);
  StoredMatrix<R> c = matrix_of<R>(p.c, stored.rows, stored.cols, p.ldc, p.precision);
  c.uplo = p.uplo;
  c.real_diagonal = is_hermitian(p.routine);
  if (updates_triangle(p.routine))
    c.shape = is_hermitian(p.routine) ? MatrixShape::hermitian : MatrixShape::symmetric;
  return c;
}

template <typename R>
Identity<R> identity_of(const Level3Problem& p, const StoredMatrix<R>& c0) {
  using Factors = std::vector<StoredMatrix<R>>;
  const bool left = p.side == Side::left;
  const auto operand = [&](const void* data, StoredShape shape, std::int64_t ld) {
    return matrix_of<R>(data, shape.rows, shape.cols, ld, p.precision);
  };
  const StoredMatrix<R> c = written_matrix<R>(p);
  const Term<R> result{-1.0, {c}, true};
  StoredMatrix<R> a = operand(p.a, stored_a(p), p.lda);
  a.uplo = p.uplo;
  const auto multiplied_by = [&](const StoredMatrix<R>& by) {
    return left ? Factors{a, by} : Factors{by, a};
  };
  Identity<R> identity;
  if (is_in_place(p.routine)) {
    a.shape = MatrixShape::triangular;
    a.diag = p.diag;
    a = a.with(p.op);
    if (p.routine == Routine::trmm) return {{{p.alpha, multiplied_by(c0)}, result}};
    return {{{-1.0, multiplied_by(c)}, {p.alpha, {c0}}}};
  }
  if (updates_triangle(p.routine)) {
    const StoredMatrix<R> b = has_b(p.routine) ? operand(p.b, stored_b(p), p.ldb) : a;
    const Op turn = is_hermitian(p.routine) ? Op::conj_transpose : Op::transpose;
    const Op first = p.op == Op::none ? Op::none : turn,
             second = p.op == Op::none ? turn : Op::none;
    const std::complex<double> other = is_hermitian(p.routine) ? std::conj(p.alpha) : p.alpha;
    identity.terms.push_back({p.alpha, {a.with(first), b.with(second)}});
    if (is_rank_2k(p.routine)) identity.terms.push_back({other, {b.with(first), a.with(second)}});
  } else {
    a.shape = is_hermitian(p.routine) ? MatrixShape::hermitian : MatrixShape::symmetric;
    a.real_diagonal = is_hermitian(p.routine);
    identity.terms.push_back({p.alpha, multiplied_by(operand(p.b, stored_b(p), p.ldb))});
  }
  identity.terms.push_back(result);
  if (p.beta != 0.0) identity.terms.push_back({p.beta, {c0}});
  return identity;
}

template <typename R>
ElementRounding rounding_of_element(const GemmProblem& p, double slack) {
  const int parts = parts_of(p.precision);
  ElementRounding rounding(static_cast<double>(p.k * parts), other_roundings_of_product,
                           unit_roundoff<R>, slack);
  rounding.of_least = rounding.per_factor = smallest_normal<R> * flushes_of(rounding, parts);
  rounding.per_operand = smallest_normal<R>;
  return rounding;
}

template <typename R>
ElementRounding rounding_of_element(const Level3Problem& p, double slack) {
  const std::int64_t depth = updates_triangle(p.routine) ? p.k : order(p);
  const double terms = is_rank_2k(p.routine) ? 2 : 1;
  ElementRounding rounding(static_cast<double>(depth * parts_of(p.precision)) * terms,
                           other_roundings_of_level3, unit_roundoff<R>, slack);
  const double least = rounding.relative * smallest_normal<R> / unit_roundoff<R>;
  rounding.of_least = least * rounding.operations;
  rounding.per_factor = rounding.per_operand = least;
  return rounding;
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
    const StoredMatrix<R>&first = term.matrices.front(), &second = term.matrices.back();
    const W factor = one_norm(term.factor);
    if (term.matrices.size() == 1) {
      const std::complex<double> value = first.at(i, j);
      if (term.is_result) {
        element.result = value;
        continue;
      }
      add(element, term.factor, value.real(), value.imag());
      element.magnitude += factor * W(one_norm(value));
      element.factors += factor;
      element.is_finite = element.is_finite && is_finite(value);
      continue;
    }
    W real = 0, imaginary = 0, magnitude = 0, sizes = 0;
    for (std::int64_t l = 0; l < first.length(); ++l) {
      const std::complex<double> x = first.at(i, l), y = second.at(l, j);
      real += W(x.real()) * y.real() - W(x.imag()) * y.imag();
      imaginary += W(x.real()) * y.imag() + W(x.imag()) * y.real();
      magnitude += W(one_norm(x)) * one_norm(y);
      sizes += W(one_norm(x)) + one_norm(y);
      element.is_finite = element.is_finite && is_finite(x) && is_finite(y);
    }
    add(element, term.factor, real, imaginary);
    element.magnitude += factor * magnitude;
    element.largest = std::max(element.largest, magnitude);
    element.factors += factor;
    element.operands += factor * sizes;
  }
  element.largest = std::max(element.largest, element.magnitude);
  return element;
}

template <typename R>
Wider<R> IdentityElement<R>::error() const {
  const Wider<R> of_real = std::abs(real - result.real()),
                 of_imaginary = std::abs(imaginary - result.imag());
  if (!std::isfinite(of_real) || !std::isfinite(of_imaginary))
    return std::numeric_limits<Wider<R>>::infinity();
  return std::max(of_real, of_imaginary);
}

// Errors of the computation here count where its type is no wider.
template <typename R>
Wider<R> IdentityElement<R>::bound(const ElementRounding& rounding) const {
  using W = Wider<R>;
  constexpr double of_reference =
      std::numeric_limits<W>::digits > std::numeric_limits<R>::digits ? 1 : 2;
  return W(of_reference) * (W(rounding.relative) * magnitude + W(rounding.of_least) +
                            W(rounding.per_factor) * factors + W(rounding.per_operand) * operands);
}

namespace {

// factor * row of the first matrix * the second one.
template <typename R>
Vectors row_of_product(const Term<R>& term, std::int64_t i, const CheckThreads& threads) {
  const StoredMatrix<R>&first = term.matrices.front(), &second = term.matrices.back();
  Vectors row(first.length(), first.parts);
  for (std::int64_t j = 0; j < row.elements(); ++j) {
    const std::complex<double> value = first.at(i, j);
    row.set(j, multiplied(term.factor, value));
    row.sizes[index(j)] = one_norm(term.factor) * one_norm(value);
  }
  return times(second.transposed(), row, Sizes::magnitudes, threads);
}

// sum += factor * row of the one matrix.
template <typename R>
void add_row(Vectors& sum, const Term<R>& term, std::int64_t i) {
  const StoredMatrix<R>& matrix = term.matrices.front();
  const double size = term.is_result ? 0 : one_norm(term.factor);
  const bool lies_so = matrix.shape == MatrixShape::general && !matrix.turned && !matrix.conjugated;
  if (lies_so && term.factor.imag() == 0)
    row_sums<R>().add_row(matrix.row(i), term.factor.real(), matrix.columns * matrix.parts,
                          sum.values[0].data());
  else
    for (std::int64_t j = 0; j < sum.elements(); ++j)
      sum.set(j, sum.at(j) + multiplied(term.factor, matrix.at(i, j)));
  for (std::int64_t j = 0; size > 0 && j < sum.elements(); ++j)
    sum.sizes[index(j)] += size * one_norm(matrix.at(i, j));
}

}  // namespace

template <typename R>
std::vector<std::int64_t> doubtful_in_row(const Identity<R>& identity,
                                          const ElementRounding& rounding, std::int64_t i,
                                          const CheckThreads& threads) {
  Vectors sum = row_of_product(identity.terms.front(), i, threads);
  for (std::size_t place = 1; place < identity.terms.size(); ++place) {
    const Term<R>& term = identity.terms[place];
    if (term.matrices.size() == 1)
      add_row(sum, term, i);
    else
      sum.add(row_of_product(term, i, threads));
  }
  const double share = rounding.relative / 2;
  std::vector<std::int64_t> doubtful;
  for (std::int64_t j = 0; j < sum.elements(); ++j) {
    const double half = share * sum.sizes[index(j)];
    const double* const difference = &sum.values[0][index(j * sum.parts)];
    const bool is_near = half <= std::numeric_limits<double>::max() &&
                         std::abs(difference[0]) <= half &&
                         (sum.parts == 1 || std::abs(difference[1]) <= half);
    if (!is_near) doubtful.push_back(j);
  }
  return doubtful;
}

#define DUOBLAS_INSTANTIATE(R)                                                                   \
  template StoredMatrix<R> written_matrix(const GemmProblem&);                                   \
  template StoredMatrix<R> written_matrix(const Level3Problem&);                                 \
  template StoredMatrix<R> matrix_a(const GemmProblem&);                                         \
  template StoredMatrix<R> matrix_b(const GemmProblem&);                                         \
  template Identity<R> identity_of(const GemmProblem&, const StoredMatrix<R>&);                  \
  template Identity<R> identity_of(const Level3Problem&, const StoredMatrix<R>&);                \
  template ElementRounding rounding_of_element<R>(const GemmProblem&, double);                   \
  template ElementRounding rounding_of_element<R>(const Level3Problem&, double);                 \
  template struct IdentityElement<R>;                                                            \
  template IdentityElement<R> element_of(const Identity<R>&, std::int64_t, std::int64_t);        \
  template std::vector<std::int64_t> doubtful_in_row(const Identity<R>&, const ElementRounding&, \
                                                     std::int64_t, const CheckThreads&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

#include "check/element_judge.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "check/check_numbers.hpp"

namespace duoblas {
namespace {

// The type in which an element is computed again: its own errors do not count, but where long
// double is no wider than double.
template <typename R>
using Wider = std::conditional_t<std::is_same_v<R, float>, double, long double>;

template <typename R>
constexpr double of_reference =
    std::numeric_limits<Wider<R>>::digits > std::numeric_limits<R>::digits ? 1 : 2;

template <typename W>
struct Pair {
  W real = 0, imaginary = 0;
};

template <typename R>
Pair<Wider<R>> element(const void* matrix, std::int64_t at, int parts, bool conjugated) {
  const R* value = static_cast<const R*>(matrix) + at * parts;
  if (parts == 1) return {value[0], 0};
  return {value[0], conjugated ? -Wider<R>(value[1]) : Wider<R>(value[1])};
}

template <typename W>
W one_norm_of(const Pair<W>& value) {
  return std::abs(value.real) + std::abs(value.imaginary);
}

template <typename W>
bool is_finite(const Pair<W>& value) {
  return std::isfinite(value.real) && std::isfinite(value.imaginary);
}

template <typename W>
Pair<W> product_of(std::complex<double> factor, const Pair<W>& value) {
  const W real = factor.real(), imaginary = factor.imag();
  if (imaginary == 0) return {real * value.real, real * value.imaginary};
  return {real * value.real - imaginary * value.imaginary,
          real * value.imaginary + imaginary * value.real};
}

template <typename W>
std::complex<double> narrow(const Pair<W>& value) {
  return {static_cast<double>(value.real), static_cast<double>(value.imaginary)};
}

}  // namespace

// k terms, four products and sums for each of a complex one, and what alpha and beta add.
template <typename R>
Rounding<R>::Rounding(const GemmProblem& product, double slack) {
  unit = static_cast<double>(std::numeric_limits<R>::epsilon()) / 2;
  const double parts = is_complex(product.precision) ? 2 : 1;
  const double operations = static_cast<double>(product.k) * parts + 8;
  relative = slack * operations * unit / (1 - operations * unit);
  flushes = parts * (2 * operations + 4);
  smallest_normal = static_cast<double>(std::numeric_limits<R>::min());
}

template <typename R>
std::optional<WrongElement> judge_element(const GemmProblem& p, const StoredMatrix<R>& c0,
                                          const Rounding<R>& rounding, std::int64_t row,
                                          std::int64_t column) {
  using W = Wider<R>;
  const int parts = is_complex(p.precision) ? 2 : 1;
  const Pair<W> is = element<R>(p.c, row * p.ldc + column, parts, false);
  Pair<W> sum;
  W terms = 0, of_a = 0, of_b = 0;
  bool given_finite = true;
  for (std::int64_t i = 0; i < p.k; ++i) {
    const bool turn_a = p.op_a != Op::none, turn_b = p.op_b != Op::none;
    const Pair<W> a = element<R>(p.a, turn_a ? i * p.lda + row : row * p.lda + i, parts,
                                 p.op_a == Op::conj_transpose);
    const Pair<W> b = element<R>(p.b, turn_b ? column * p.ldb + i : i * p.ldb + column, parts,
                                 p.op_b == Op::conj_transpose);
    given_finite = given_finite && is_finite(a) && is_finite(b);
    sum.real += a.real * b.real - a.imaginary * b.imaginary;
    sum.imaginary += a.real * b.imaginary + a.imaginary * b.real;
    terms += one_norm_of(a) * one_norm_of(b);
    of_a += one_norm_of(a);
    of_b += one_norm_of(b);
  }
  Pair<W> old;
  if (c0.data != nullptr) old = element<R>(c0.data, row * c0.ld + column, parts, false);
  given_finite = given_finite && is_finite(old);

  const Pair<W> scaled = product_of(p.alpha, sum), kept = product_of(p.beta, old);
  const Pair<W> expected{scaled.real + kept.real, scaled.imaginary + kept.imaginary};
  WrongElement wrong{row, column, narrow(is), narrow(expected), 0};
  if (!given_finite) {
    if (!is_finite(is)) return {};
    return wrong;
  }
  const W alpha = one_norm(p.alpha), beta = one_norm(p.beta);
  const W magnitude = alpha * terms + beta * one_norm_of(old);
  const W largest = std::max(terms, magnitude);
  // Sums on the way may have been too large, whatever the last one is.
  const bool may_overflow = !(largest * W(1.01) < W(std::numeric_limits<R>::max()));
  if (!is_finite(is) && may_overflow) return {};
  const W flushed = W(rounding.smallest_normal) *
                    (W(rounding.flushes) * (1 + alpha + beta) + alpha * (of_a + of_b));
  const W bound = W(of_reference<R>) * (W(rounding.relative) * magnitude + flushed);
  wrong.bound = static_cast<double>(bound);
  const bool right = std::abs(is.real - expected.real) <= bound &&
                     std::abs(is.imaginary - expected.imaginary) <= bound;
  if (right) return {};
  return wrong;
}

#define DUOBLAS_INSTANTIATE(R)                        \
  template struct Rounding<R>;                        \
  template std::optional<WrongElement> judge_element( \
      const GemmProblem&, const StoredMatrix<R>&, const Rounding<R>&, std::int64_t, std::int64_t)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

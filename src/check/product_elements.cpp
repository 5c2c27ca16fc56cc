#include "check/product_elements.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "check/check_bounds.hpp"
#include "check/check_numbers.hpp"
#include "check/identity.hpp"

namespace duoblas {
namespace {

// A row of op(A) as weights.
template <typename R>
WeightVector row_of_a(const GemmProblem& p, std::int64_t i) {
  const StoredMatrix<R> a = stored_a<R>(p);
  WeightVector row;
  row.is_real = a.parts == 1;
  const double sign = a.conjugated ? -1 : 1;
  for (std::int64_t j = 0; j < p.k; ++j) {
    const R* element = p.op_a == Op::none ? a.row(i) + j * a.parts : a.row(j) + i * a.parts;
    double magnitude = std::abs(static_cast<double>(element[0]));
    row.values.push_back(static_cast<double>(element[0]));
    if (a.parts == 2) {
      row.values.push_back(sign * static_cast<double>(element[1]));
      magnitude += std::abs(static_cast<double>(element[1]));
    }
    row.magnitudes.push_back(magnitude);
  }
  return row;
}

// Errors of the computation here count where its type is no wider.
template <typename R>
constexpr double of_reference =
    std::numeric_limits<Wider<R>>::digits > std::numeric_limits<R>::digits ? 1 : 2;

template <typename R>
std::optional<WrongElement> judged(const Identity<R>& identity, const ElementRounding& rounding,
                                   std::int64_t row, std::int64_t column) {
  using W = Wider<R>;
  const IdentityElement<R> element = element_of(identity, row, column);
  WrongElement wrong{row, column, element.result, element.expected(), 0};
  if (!element.is_finite) {
    if (!is_finite(wrong.is)) return {};
    return wrong;
  }
  // Sums on the way may have been too large, whatever the last one is.
  const bool may_overflow = !(element.largest * W(1.01) < W(std::numeric_limits<R>::max()));
  if (!is_finite(wrong.is) && may_overflow) return {};
  const double flushes = flushes_of(rounding, identity.terms.front().first.stored.parts);
  const W flushed = W(smallest_normal<R>) * (W(flushes) * (1 + element.factors) + element.operands);
  const W bound = W(of_reference<R>) * (W(rounding.relative) * element.magnitude + flushed);
  wrong.bound = static_cast<double>(bound);
  const bool right = std::abs(W(wrong.is.real()) - element.real) <= bound &&
                     std::abs(W(wrong.is.imag()) - element.imaginary) <= bound;
  if (right) return {};
  return wrong;
}

}  // namespace

// Elements that differ from this computation by more than half their bound are judged.
template <typename R>
std::optional<WrongElement> wrong_in_row(const GemmProblem& p, const StoredMatrix<R>& c0,
                                         const ElementRounding& rounding, std::int64_t i) {
  const StoredMatrix<R> b = stored_b<R>(p), c = stored_c<R>(p);
  const int parts = c.parts;
  const WeightVector row = row_of_a<R>(p, i);
  const TwoVectors twice = {row, row};
  WeightVector again =
      std::move((p.op_b == Op::none ? transpose_times(b, twice) : times(b, twice))[0]);
  const double alpha = one_norm(p.alpha), beta = one_norm(p.beta);
  for (std::int64_t j = 0; j < p.n; ++j) {
    double* value = &again.values[index(j * parts)];
    multiply_by(p.alpha, parts, value);
    double magnitude = alpha * again.magnitudes[index(j)];
    double kept[2] = {0, 0};
    for (int part = 0; c0.data != nullptr && part < parts; ++part) {
      kept[part] = static_cast<double>(c0.row(i)[j * parts + part]);
      magnitude += beta * std::abs(kept[part]);
    }
    if (c0.data != nullptr) multiply_by(p.beta, parts, kept);
    bool near = std::isfinite(magnitude);
    for (int part = 0; part < parts; ++part) {
      const auto is = static_cast<double>(c.row(i)[j * parts + part]);
      near = near && std::abs(is - value[part] - kept[part]) <= rounding.relative * magnitude / 2;
    }
    if (near) continue;
    if (auto wrong = judged(identity_of(p, c0), rounding, i, j)) return wrong;
  }
  return {};
}

#define DUOBLAS_INSTANTIATE(R)                                                                  \
  template std::optional<WrongElement> wrong_in_row(const GemmProblem&, const StoredMatrix<R>&, \
                                                    const ElementRounding&, std::int64_t)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas

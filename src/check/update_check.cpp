#include "check/update_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "check/check_numbers.hpp"

namespace duoblas {
namespace {

using Value = std::complex<double>;

template <typename R>
Value element(const void* data, std::int64_t at, bool complex, bool conjugated = false) {
  const R* numbers = static_cast<const R*>(data) + at * (complex ? 2 : 1);
  if (!complex) return {static_cast<double>(numbers[0]), 0.0};
  const auto im = static_cast<double>(numbers[1]);
  return {static_cast<double>(numbers[0]), conjugated ? -im : im};
}

// Written out as BLAS has it: std::complex's own product repairs infinities.
Value product(Value x, Value y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// A product of three numbers and a sum: complex, seven roundings of each part at most, by the
// device and, for doubles, here. Subnormal numbers may be flushed before they are multiplied.
template <typename R>
bool differs(Value alpha, Value x, Value y, Value before, Value now) {
  constexpr auto largest = static_cast<double>(std::numeric_limits<R>::max());
  constexpr auto smallest = static_cast<double>(std::numeric_limits<R>::min());
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<R>::epsilon());
  const Value should = before + product(product(alpha, x), y);
  if (!is_finite(before) || !is_finite(x) || !is_finite(y) || !is_finite(alpha))
    return !is_finite(should) && is_finite(now);
  const double of_x = one_norm(alpha) * one_norm(x);
  const double of_y = one_norm(alpha) * one_norm(y);
  const double magnitude = one_norm(before) + of_x * one_norm(y);
  // Whatever overflows on the way says nothing.
  if (!(std::max({of_x, of_y, magnitude}) <= largest / 4)) return false;
  const double bound =
      8 * epsilon * magnitude + 4 * smallest *
                                    (1 + one_norm(alpha) + one_norm(x) + one_norm(y) + of_x + of_y +
                                     one_norm(x) * one_norm(y));
  // A NaN is within no bound.
  return !(std::abs(now.real() - should.real()) <= bound &&
           std::abs(now.imag() - should.imag()) <= bound);
}

template <typename R>
std::string wrong(const GerProblem& p, const UpdatePlaces& places, std::int64_t step,
                  std::int64_t first) {
  const bool complex = is_complex(p.precision);
  const Value alpha = complex ? p.alpha : p.alpha.real();
  for (std::int64_t at = first; at < p.rows * p.columns; at += step) {
    const std::int64_t row = at / p.columns, column = at % p.columns;
    const Value x = element<R>(p.x.data, row * p.x.increment, complex, p.conjugates_x);
    const Value y = element<R>(p.y.data, column * p.y.increment, complex, p.conjugates_y);
    const Value before = element<R>(places.before, row * places.before_ld + column, complex);
    const Value now = element<R>(places.now, row * places.now_ld + column, complex);
    if (differs<R>(alpha, x, y, before, now))
      return "element (" + std::to_string(row) + ", " + std::to_string(column) + ") of " +
             std::to_string(p.rows) + " x " + std::to_string(p.columns) + " is not A + alpha x y'";
  }
  return {};
}

}  // namespace

std::string wrong_update(const GerProblem& problem, const UpdatePlaces& places, std::int64_t step,
                         std::int64_t first) {
  if (problem.empty()) return {};
  return is_double(problem.precision) ? wrong<double>(problem, places, step, first)
                                      : wrong<float>(problem, places, step, first);
}

std::int64_t sample_step(const GerProblem& problem) {
  constexpr std::int64_t least = 61, most_elements = 4096;
  // Odd, so that no power of two of columns is looked at alone.
  return std::max(least, problem.rows * problem.columns / most_elements) | 1;
}

}  // namespace duoblas

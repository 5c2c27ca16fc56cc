#include "check/update_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "check/stored_matrix.hpp"

namespace duoblas {
namespace {

using Value = std::complex<double>;

// A product of three numbers and a sum: complex, seven roundings of each part at most, by the
// device and, for doubles, here. Subnormal numbers may be flushed before they are multiplied.
template <typename R>
bool differs(Value alpha, Value x, Value y, Value before, Value now) {
  constexpr auto largest = static_cast<double>(std::numeric_limits<R>::max());
  constexpr auto smallest = static_cast<double>(std::numeric_limits<R>::min());
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<R>::epsilon());
  const Value should = before + multiplied(multiplied(alpha, x), y);
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
  const int parts = is_complex(p.precision) ? 2 : 1;
  const auto matrix = [&](const void* data, std::int64_t ld, bool conjugated = false) {
    StoredMatrix<R> of{static_cast<const R*>(data), p.rows, p.columns, ld, parts};
    of.conjugated = conjugated;
    return of;
  };
  const StoredMatrix<R> x = matrix(p.x.data, p.x.increment, p.conjugates_x),
                        y = matrix(p.y.data, p.y.increment, p.conjugates_y),
                        before = matrix(places.before, places.before_ld),
                        now = matrix(places.now, places.now_ld);
  const Value alpha = parts == 2 ? p.alpha : p.alpha.real();
  for (std::int64_t at = first; at < p.rows * p.columns; at += step) {
    const std::int64_t row = at / p.columns, column = at % p.columns;
    if (differs<R>(alpha, x.at(row, 0), y.at(column, 0), before.at(row, column),
                   now.at(row, column)))
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

// What the checks of all LAPACK routines have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/factorisation_check.hpp"
#include "problem/element_types.hpp"

namespace duoblas {

struct FactorisationCheck::Body {
  virtual ~Body() = default;
  virtual CheckVerdict compare() = 0;
  virtual void restore_a() const noexcept = 0;
};

/// The type that checks compute in.
template <typename T>
using Wide = std::conditional_t<is_real<T>, double, std::complex<double>>;

/// A complex product's error is up to 2 sqrt(2) roundings of its size (Higham, lemma 3.5).
template <typename T>
constexpr double rounding_of = std::numeric_limits<PartOf<T>>::epsilon() / 2 *
                               (is_real<T> ? 1 : 2 * std::numbers::sqrt2);

/// Whether some of these numbers, which were computed in double precision, are too large for T, or
/// none. Then what was computed in T need not be finite.
template <typename T>
bool overflow(const std::vector<Wide<T>>& exact) {
  constexpr auto most = static_cast<double>(std::numeric_limits<PartOf<T>>::max()) / 2;
  return !std::ranges::all_of(exact, [](Wide<T> value) { return std::abs(value) <= most; });
}

/// Magnitudes from 1 to 2: two equal errors in a row do not cancel.
std::vector<double> signed_numbers(std::int64_t count, std::uint64_t seed);

/// Rows or columns with a larger difference than rounding errors are likely to cause.
class Suspects {
 public:
  /// `ratio`: the difference over the likely one; NaN is the largest.
  void add(double ratio, std::int64_t line) {
    lines_.emplace_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, line);
  }
  /// `wrong_in(line)` finds a wrong element of a line, or none. It is called for a few lines with
  /// the largest ratios. If none of them has one, the check takes the data for the cause.
  template <typename WrongIn>
  CheckVerdict verdict(WrongIn&& wrong_in) {
    constexpr std::size_t most_lines = 8;
    CheckVerdict verdict;
    verdict.suspected_rows = static_cast<std::int64_t>(lines_.size());
    const std::size_t looked_at = std::min(most_lines, lines_.size());
    std::ranges::partial_sort(lines_, lines_.begin() + static_cast<std::ptrdiff_t>(looked_at),
                              std::greater<>());
    for (std::size_t i = 0; i < looked_at && !verdict.wrong; ++i)
      verdict.wrong = wrong_in(lines_[i].second);
    verdict.gave_up = !verdict.wrong && looked_at < lines_.size();
    return verdict;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> lines_;
};

/// The check of the problem's element type. \throws std::bad_alloc.
template <template <typename> class CheckOf>
std::unique_ptr<FactorisationCheck::Body> check_of_type(const LapackProblem& problem,
                                                        std::uint64_t seed, double slack,
                                                        const CheckThreads& threads) {
  return with_element_type(
      problem.precision, [&](auto zero) -> std::unique_ptr<FactorisationCheck::Body> {
        return std::make_unique<CheckOf<decltype(zero)>>(problem, seed, slack, threads);
      });
}

/// geqrf, orgqr and ormqr. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_reflector_check(const LapackProblem& problem,
                                                               std::uint64_t seed, double slack,
                                                               const CheckThreads& threads);

/// getrs, whose B takes the place of A. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_solve_check(const LapackProblem& problem,
                                                           std::uint64_t seed, double slack,
                                                           const CheckThreads& threads);
/// getri and potri. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_inverse_check(const LapackProblem& problem,
                                                             std::uint64_t seed, double slack,
                                                             const CheckThreads& threads);

}  // namespace duoblas

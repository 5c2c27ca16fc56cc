// What a check of a routine of LAPACK is, whichever routine it is.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "check/factorisation_check.hpp"
#include "problem/element_types.hpp"

namespace duoblas {

struct FactorisationCheck::Body {
  virtual ~Body() = default;
  virtual CheckVerdict compare() = 0;
  virtual void restore_a() const noexcept = 0;
};

/// What checks compute in.
template <typename T>
using Wide = std::conditional_t<is_real<T>, double, std::complex<double>>;

/// A complex product's error is up to 2 sqrt(2) roundings of its size (Higham, lemma 3.5).
template <typename T>
constexpr double rounding_of = std::numeric_limits<PartOf<T>>::epsilon() / 2 *
                               (is_real<T> ? 1 : 2 * std::numbers::sqrt2);

/// Magnitudes from 1 to 2: two equal errors in a row do not cancel.
std::vector<double> signed_numbers(std::int64_t count, std::uint64_t seed);

/// geqrf, orgqr and ormqr. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_reflector_check(const LapackProblem& problem,
                                                               std::uint64_t seed, double slack);

/// getrs, whose B takes A's part. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_solve_check(const LapackProblem& problem,
                                                           std::uint64_t seed, double slack);
/// getri and potri. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_inverse_check(const LapackProblem& problem,
                                                             std::uint64_t seed, double slack);

}  // namespace duoblas

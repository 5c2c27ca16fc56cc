// What a check of a routine of LAPACK is, whichever routine it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/factorisation_check.hpp"

namespace duoblas {

struct FactorisationCheck::Body {
  virtual ~Body() = default;
  virtual CheckVerdict compare() = 0;
  virtual void restore_a() const noexcept = 0;
};

/// Magnitudes from 1 to 2: two equal errors in a row do not cancel.
std::vector<double> signed_numbers(std::int64_t count, std::uint64_t seed);

/// geqrf, orgqr and ormqr. \throws std::bad_alloc.
std::unique_ptr<FactorisationCheck::Body> make_reflector_check(const LapackProblem& problem,
                                                               std::uint64_t seed, double slack);

}  // namespace duoblas

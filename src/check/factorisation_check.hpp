// Whether a factorisation that a device computed is right, by its identity with a random vector x,
// as in product_check.hpp:
//
//     getrf   P A x = L (U x)
//     potrf   A x = L (L^H x), or U^H (U x)
//     geqrf   y' A = (Q^H y)^H R, and so orgqr with an identity, and ormqr
//     getrs   y' B = (y' P L U) X, of potrs with L L^H
//
// factor_identity.hpp has these as chains of factors, which chain.hpp multiplies. If lines differ
// by more than rounding errors are likely to cause, they are computed again, and each of their
// elements is compared with its bound (check_bounds.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/result_check.hpp"
#include "check/saved_values.hpp"
#include "check/stored_matrix.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class FactorisationCheck final : public ResultCheck {
 public:
  /// Keeps A (getrs, potrs: B). `seed` draws x. `slack`: how many times the rounding errors of the
  /// type's own arithmetic are allowed. \pre can_check(problem). \throws std::bad_alloc.
  FactorisationCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
                     const CheckThreads& threads = {});

  void restore() const noexcept override;
  std::string describe(const WrongElement& wrong) const override;

 private:
  template <typename R>
  void keep();
  /// Reads the factors and pivots. `wrong` names a row and column of P A.
  CheckVerdict do_compare() override;

  LapackProblem p_;
  double slack_;
  CheckThreads threads_;
  SavedValues old_;
  std::vector<double> x_;
  std::vector<double> of_columns_;  ///< the saved ones' largest magnitudes, or their norms
  Vectors of_saved_;                ///< the product of what is saved with x, if there is one
};

/// Whether a check can say something of this call: getrf, potrf, getrs, potrs, or a
/// call that has reflected_matrix (lapack/qr.hpp) for its A.
bool can_check(const LapackProblem& problem);

}  // namespace duoblas

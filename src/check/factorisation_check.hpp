// Whether a factorisation that a device computed is right, by its identity with a random vector x,
// as in product_check.hpp:
//
//     getrf   P A x = L (U x)
//     potrf   A x = L (L^H x), or U^H (U x)
//     geqrf   y' A = (Q^H y)^H R, and so orgqr with an identity, and ormqr
//     getri   inv(A) (P L U x) = x, and potri likewise
//     getrs   y' B = (y' P L U) X, of potrs with L L^H
//
// factor_identity.hpp has these as chains of factors, which factor.hpp multiplies. If lines differ
// by more than rounding errors are likely to cause, they are computed again, and each of their
// elements is compared with its bound (check_bounds.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "check/product_check.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class FactorisationCheck {
 public:
  /// Keeps A (getrs, potrs: B). `seed` draws x. `slack`: how many times the rounding errors of the
  /// type's own arithmetic are allowed. \pre can_check(problem). \throws std::bad_alloc.
  FactorisationCheck(const LapackProblem& problem, std::uint64_t seed, double slack,
                     const CheckThreads& threads = {});
  FactorisationCheck(FactorisationCheck&&) noexcept;
  ~FactorisationCheck();

  /// Reads the factors and pivots. `wrong` names a row and column of P A. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Puts back what A (getrs, potrs: B) was.
  void restore_a() const noexcept;
  /// Processor time that all of this took.
  double seconds() const { return seconds_; }

  struct Body;

 private:
  std::unique_ptr<Body> body_;
  double seconds_ = 0;
};

/// Whether a check can say something of this call: getrf, potrf, getri, potri, getrs, potrs, or a
/// call that has reflected_matrix (lapack/qr_steps.hpp) for its A.
bool can_check(const LapackProblem& problem);

/// "element (3, 4) of the product of the factors is 1 and should be 2".
std::string describe(const WrongElement& wrong, const LapackProblem& problem);

}  // namespace duoblas

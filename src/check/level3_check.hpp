// Whether a level-3 call other than gemm that a device computed is right, by the routine's identity
// with random vectors x, as in product_check.hpp:
//
//     symm, hemm    C x = alpha A (B x) + beta C0 x, or alpha B (A x) + beta C0 x
//     syrk, herk    C x = alpha op(A) (op(A)' x) + beta C0 x
//     syr2k, her2k  C x = alpha op(A) (op(B)' x) + alpha' op(B) (op(A)' x) + beta C0 x
//     trmm          C x = alpha op(A) (C0 x), or alpha C0 (op(A) x)
//     trsm          op(A) (C x) = alpha C0 x, or C (op(A) x) = alpha C0 x
//
// If rows differ by more than rounding errors are likely to cause, they are computed again.
// docs/design/checks.md derives the bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/result_check.hpp"
#include "check/saved_values.hpp"
#include "problem/level3_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

class Level3Check final : public ResultCheck {
 public:
  /// Keeps a copy of C if the identity needs its old values. `seed` draws x. `slack`: the allowed
  /// multiple of the rounding errors of the type's own arithmetic. `inverted`, for trsm: diagonal
  /// blocks of A whose inverses the device multiplies by; the bound contains their condition. The
  /// other blocks are solved by substitution. \pre can_check(problem). \throws std::bad_alloc.
  Level3Check(const Level3Problem& problem, std::uint64_t seed, double slack,
              const std::vector<Interval>& inverted, const CheckThreads& threads = {});

  void restore() const noexcept override;
  std::string describe(const WrongElement& wrong) const override;

 private:
  /// For a right-hand side of trsm, `is` is the element of op(A) C, or the solution's element if
  /// that should be finite and is not.
  CheckVerdict do_compare() override;

  Level3Problem p_;
  std::uint64_t seed_;
  double slack_;
  std::vector<Interval> inverted_;
  CheckThreads threads_;
  SavedValues old_;
};

/// Whether there is a check for this call.
bool can_check(const Level3Problem& problem);

/// Whether the identity needs the old values of C.
inline bool needs_old_c(const Level3Problem& problem) {
  return is_in_place(problem.routine) || problem.beta != 0.0;
}

}  // namespace duoblas

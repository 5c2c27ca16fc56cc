// Whether a level-3 call other than gemm that a device computed is right, by the routine's identity
// with random vectors x, as product_check.hpp has it of a product:
//
//     symm, hemm    C x = alpha A (B x) + beta C0 x, or alpha B (A x) + beta C0 x
//     syrk, herk    C x = alpha op(A) (op(A)' x) + beta C0 x
//     syr2k, her2k  C x = alpha op(A) (op(B)' x) + alpha' op(B) (op(A)' x) + beta C0 x
//     trmm          C x = alpha op(A) (C0 x), or alpha C0 (op(A) x)
//     trsm          op(A) (C x) = alpha C0 x, or C (op(A) x) = alpha C0 x
//
// Rows that differ by more than rounding errors are likely to are computed again;
// docs/design/checks.md derives the bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check/product_check.hpp"
#include "problem/cut.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

class Level3Check {
 public:
  /// Keeps C where the identity needs what it was. `seed` draws x. `slack`: how many times the
  /// rounding errors of the type's own arithmetic are allowed. `inverted`: of trsm, diagonal blocks
  /// of A of which the inverse is multiplied by, whose condition the bound has; the others are
  /// solved by substitution. \pre can_check(problem). \throws std::bad_alloc.
  Level3Check(const Level3Problem& problem, std::uint64_t seed, double slack,
              const std::vector<Interval>& inverted);
  Level3Check(Level3Check&&) noexcept;
  ~Level3Check();

  /// Reads the operands and C. Of a right-hand side of trsm: `is` is what op(A) C has there, or
  /// the solution's element where that should be finite. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Puts back what C was, where that was kept.
  void restore_c() const noexcept;
  /// Processor time that all of this took.
  double seconds() const { return seconds_; }

  struct Body;

 private:
  std::unique_ptr<Body> body_;
  double seconds_ = 0;
};

/// Whether a check can say something of this call.
bool can_check(const Level3Problem& problem);

/// Whether the identity needs what C was.
inline bool needs_old_c(const Level3Problem& problem) {
  return is_in_place(problem.routine) || problem.beta != 0.0;
}

/// "element (3, 4) of 5 x 6 is 1 and should be 2".
std::string describe(const WrongElement& wrong, const Level3Problem& problem);

}  // namespace duoblas

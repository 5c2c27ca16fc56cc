// Whether a product that a device computed is right: compares C x with alpha op(A) (op(B) x) + beta
// C0 x for a random vector x (R. Freivalds, Probabilistic machines can use less running time, IFIP
// Congress 1977). Rows that differ by more than rounding errors are likely to cause are checked
// element by element. docs/design/checks.md derives the bounds.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

#include "check/check_threads.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// An element of C whose error is larger than any order of additions explains.
struct WrongElement {
  std::int64_t row = 0, column = 0;
  std::complex<double> is, should_be;
  double bound = 0;  ///< of the error of either part; 0: it should not be finite
};

struct CheckVerdict {
  std::optional<WrongElement> wrong;  ///< nothing: no element was found wrong
  /// Rows of C that differed by more than is likely.
  std::int64_t suspected_rows = 0;
  /// Only some of these were checked, because those were right.
  bool gave_up = false;
};

/// Where the old values of C are, for a product with beta != 0. Kept: in a copy that the check
/// makes before C is written. In place: in C itself, for look(), until keep_c() makes the copy.
enum class OldC { kept, in_place };

/// The check of one product. Reads A, B and C. A and B must not change until it is over.
class ProductCheck {
 public:
  /// `seed` draws x. `slack`: the allowed multiple of the rounding errors of the type's own
  /// arithmetic. \pre can_check(product). \throws std::bad_alloc.
  explicit ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack = 1,
                        OldC old_c = OldC::kept, const CheckThreads& threads = {});
  ProductCheck(ProductCheck&&) noexcept;
  ~ProductCheck();

  /// Does the part of the check that needs no result, so it can run while the device works. \throws
  /// std::bad_alloc.
  void predict();
  /// \pre predict() was called. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Instead of predict() and compare(): checks rows of C that the device left at `values`, `ld`
  /// elements apart, and that are not yet in C. \throws std::bad_alloc.
  CheckVerdict look(std::int64_t row, std::int64_t rows, const void* values, std::int64_t ld);
  /// Call it before C is written by anything that look() does not see. \throws std::bad_alloc.
  void keep_c();
  /// Restores the old values of C, if a copy was kept.
  void restore_c() const noexcept;
  /// Processor time that all of this took.
  double seconds() const { return seconds_; }

  struct Body;

 private:
  std::unique_ptr<Body> body_;
  double seconds_ = 0;
};

/// Whether there is a check for this product: it multiplies, and its scalars are finite.
bool can_check(const GemmProblem& product);

}  // namespace duoblas

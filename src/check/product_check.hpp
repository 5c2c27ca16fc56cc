// Whether a product that a device computed is right: C x against alpha op(A) (op(B) x) + beta C0 x
// for a random vector x (R. Freivalds, Probabilistic machines can use less running time, IFIP
// Congress 1977), and where the two differ by more than rounding errors are likely to, element by
// element. docs/design/checks.md derives the bounds.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// An element of C that no order of additions explains.
struct WrongElement {
  std::int64_t row = 0, column = 0;
  std::complex<double> is, should_be;
  double bound = 0;  ///< of the error of either part; 0: it should not be finite
};

struct CheckVerdict {
  std::optional<WrongElement> wrong;  ///< nothing: no element was found wrong
  /// Rows of C that differed by more than is likely.
  std::int64_t suspected_rows = 0;
  /// Not all of those were looked at, since those that were are right.
  bool gave_up = false;
};

/// Where what C was is found, of a product with beta != 0: in a copy that is made with the check,
/// before C is written; or in C, for look(), until keep_c() makes that copy.
enum class OldC { kept, in_place };

/// The check of one product. Reads A and B, which stay as they are until it is over, and C.
class ProductCheck {
 public:
  /// `seed` draws x. `slack`: how many times the rounding errors of the type's own arithmetic are
  /// allowed. \pre can_check(product). \throws std::bad_alloc.
  explicit ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack = 1,
                        OldC old_c = OldC::kept);
  ProductCheck(ProductCheck&&) noexcept;
  ~ProductCheck();

  /// What of the check needs no result, so that it can be done while the device works.
  /// \throws std::bad_alloc.
  void predict();
  /// \pre predict() was called. \throws std::bad_alloc.
  CheckVerdict compare();
  /// Instead of both: rows of C, which the device left at `values`, `ld` elements apart, and not
  /// yet in C. \throws std::bad_alloc.
  CheckVerdict look(std::int64_t row, std::int64_t rows, const void* values, std::int64_t ld);
  /// Before C is written by other ways than look() sees. \throws std::bad_alloc.
  void keep_c();
  /// Puts back what C was, where a copy of it was kept.
  void restore_c() const noexcept;
  /// Processor time that all of this took.
  double seconds() const { return seconds_; }

  struct Body;

 private:
  std::unique_ptr<Body> body_;
  double seconds_ = 0;
};

/// Whether a check can say something of this product: it multiplies, and its factors are finite.
bool can_check(const GemmProblem& product);

}  // namespace duoblas

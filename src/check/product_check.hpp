// Whether a product that a device computed is right: compares C x with alpha op(A) (op(B) x) + beta
// C0 x for a random vector x (R. Freivalds, Probabilistic machines can use less running time, IFIP
// Congress 1977). Rows that differ by more than rounding errors are likely to cause are checked
// element by element. docs/design/checks.md derives the bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/result_check.hpp"
#include "check/saved_values.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

template <typename R>
class ProductSums;

std::string describe(const WrongElement& wrong, const GemmProblem& product);

/// Whether there is a check for this product: it multiplies, and its scalars are finite.
bool can_check(const GemmProblem& product);

/// Where the old values of C are, for a product with beta != 0. Saved: in a copy that the check
/// makes before C is written. In place: in C itself, for look(), until keep_c() makes the copy.
enum class OldC { saved, in_place };

class ProductCheck final : public ResultCheck {
 public:
  /// `seed` draws x. `slack`: the allowed multiple of the rounding errors of the type's own
  /// arithmetic. \pre can_check(product). \throws std::bad_alloc.
  explicit ProductCheck(const GemmProblem& product, std::uint64_t seed, double slack = 1,
                        OldC old_c = OldC::saved, const CheckThreads& threads = {});

  /// Instead of predict() and compare(): checks rows of C that the device left at `values`, `ld`
  /// elements apart, and that are not yet in C. \throws std::bad_alloc.
  CheckVerdict look(std::int64_t row, std::int64_t rows, const void* values, std::int64_t ld);
  /// Call it before C is written by anything that look() does not see. \throws std::bad_alloc.
  void keep_c();
  /// The check of some columns of C, with the old values in place.
  ProductCheck of_columns(std::int64_t first, std::int64_t count) const;
  void restore() const noexcept override;
  std::string describe(const WrongElement& wrong) const override {
    return duoblas::describe(wrong, p_);
  }

 private:
  /// Columns of C that are summed up, weighted by x.
  struct Chunk {
    std::int64_t first = 0, columns = 0;
    Vectors x;
    std::vector<std::int64_t> left_out;  ///< infinite columns of op(B), counted from `first`
    Vectors y;                           ///< op(B) x: of the even columns, and of the odd ones
  };

  void do_predict() override;
  CheckVerdict do_compare() override;
  template <typename R>
  friend class ProductSums;

  GemmProblem p_;
  std::uint64_t seed_;
  double slack_;
  CheckThreads threads_;
  SavedValues old_;
  std::vector<Chunk> chunks_;
  std::vector<Vectors> expected_;  ///< of each chunk, all rows; the sizes are allowed differences
};

/// The first element of C whose error is larger than rounding can cause in any order of additions,
/// in O(mnk). `c0`: C before the product, m x n without gaps; null if beta == 0. `slack`: as for
/// ProductCheck. \throws std::bad_alloc. \pre can_check(product).
std::optional<WrongElement> wrong_element(const GemmProblem& product, const void* c0,
                                          double slack = 1);

}  // namespace duoblas

// A gemv as a product of matrices, so that what says whether a product is right says it of both.
#pragma once

#include <vector>

#include "problem/gemm_problem.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// y' = alpha x' op(A)' + beta y', or y = alpha op(A) x + beta y where A is conjugated and
/// transposed: whichever GemmProblem can say. Holds copies of the vectors without gaps; A is the
/// caller's.
class VectorProduct {
 public:
  /// `y` holds the result in the place of `old_y`: both are the memory that problem.y lies in, from
  /// the same byte on, which is `y`'s.
  VectorProduct(const GemvProblem& problem, const char* old_y, const char* y);
  /// Of sums without gaps: alpha op(A) x.
  VectorProduct(const GemvProblem& problem, const void* sums);

  const GemmProblem& problem() const { return product_; }
  /// What C was; null where it is not read.
  const void* old_c() const { return old_.empty() ? nullptr : old_.data(); }

 private:
  void describe(const GemvProblem& problem);

  GemmProblem product_;
  std::vector<char> x_, result_, old_;
};

}  // namespace duoblas

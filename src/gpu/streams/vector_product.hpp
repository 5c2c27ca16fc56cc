// Converts a gemv to a product of matrices, so that one check of results serves both.
#pragma once

#include <vector>

#include "problem/gemm_problem.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// y' = alpha x' op(A)' + beta y'; or y = alpha op(A) x + beta y if A is conjugated and transposed,
/// because GemmProblem can express only that. Holds copies of the vectors without gaps; A is the
/// caller's.
class VectorProduct {
 public:
  /// `y` holds the result and `old_y` the old values: both are copies of the memory of problem.y,
  /// beginning at the same byte.
  VectorProduct(const GemvProblem& problem, const char* old_y, const char* y);
  /// For sums without gaps: alpha op(A) x.
  VectorProduct(const GemvProblem& problem, const void* sums);

  const GemmProblem& problem() const { return product_; }
  /// The old values of C; null if they are not read.
  const void* old_c() const { return old_.empty() ? nullptr : old_.data(); }

 private:
  void describe(const GemvProblem& problem);

  GemmProblem product_;
  std::vector<char> x_, result_, old_;
};

}  // namespace duoblas

// A level-3 routine as products and two smaller calls of itself: pure arithmetic.
//
// The triangular, symmetric or Hermitian matrix is halved into two smaller ones of its kind on the
// diagonal and one full block beside it. All work on that block is gemm, and there is one such
// block per level of recursion: few large products instead of many small ones, which is what a GPU
// wants. After: E. Elmroth, F. Gustavson, I. Jonsson, B. Kagstrom, Recursive blocked algorithms and
// hybrid data structures for dense matrix library software, SIAM Review 46(1), 2004; the splitting
// into gemm and a rest is that of B. Kagstrom, P. Ling, C. Van Loan, GEMM-based level 3 BLAS, ACM
// TOMS 24(3), 1998.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "problem/gemm_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

using Step = std::variant<GemmProblem, Level3Problem>;

/// The steps of one level-3 call, in the order in which they must be done. Six are the most that
/// are left of a call that the device did in part.
class Steps {
 public:
  const Step* begin() const { return steps_.data(); }
  const Step* end() const { return steps_.data() + count_; }
  std::size_t size() const { return count_; }
  void add(const Step& step) { steps_[count_++] = step; }

 private:
  std::array<Step, 6> steps_;
  std::size_t count_ = 0;
};

/// Halves the order: the first `at` rows of the triangular, symmetric or Hermitian matrix, and the
/// rest. Each product has 2 at (order - at) free_extent flops. That is at most a quarter (symm,
/// hemm, syr2k, her2k) or half (syrk, herk, trmm, trsm) of the call's flops. If C is no operand,
/// the products come first, with the call's beta; with beta == 0 the GPU then needs no old values
/// of large blocks. \pre 0 < at < order(p).
Steps halved(const Level3Problem& p, std::int64_t at);

/// Splits the free extent: the right-hand sides, or the sum over k. \pre 0 < at < free_extent(p).
Steps split_free_extent(const Level3Problem& p, std::int64_t at);

/// About half of the order, rounded to a multiple of up to 128, so that blocks start at the GPU's
/// tiles and the CPU's vectors. \pre order >= 2.
std::int64_t halfway(std::int64_t order);

/// The largest part of the call's flops that one product of halved() can have.
double largest_product_share(Routine routine);

}  // namespace duoblas

// Solves with a triangle of a factorisation in place on the CPU, by products: the triangle is
// halved down to leaves, whose inverses are multiplied with (J. J. Du Croz, N. J. Higham, Stability
// of methods for matrix inversion, 1992). OpenBLAS's own trsm is far from its gemm's rate: on one
// core of a Xeon of Granite Rapids' class (0.3.21) dtrsm of 256 lines had 18 to 26 GFLOPS in dgetrf
// and dpotrf of 2048, and dgemm 86.
#pragma once

#include <cstdint>
#include <vector>

#include "lapack/block_steps.hpp"
#include "memory/page_block.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// A block on the diagonal of the matrix that is factorised. It is solved with from its first line
/// on: op(A) X = B with a lower triangle and no op, or an upper one with its adjoint; X op(A) = B
/// with a lower triangle and its adjoint.
struct SolvedTriangle {
  Block block;
  Side side = Side::left;
  Uplo uplo = Uplo::lower;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
};

class BlockSolve {
 public:
  /// For triangles of at most `order` lines, and at most `extent` right-hand sides. If there is no
  /// memory, the CPU BLAS solves with leaves.
  BlockSolve(const BlockSteps& steps, Precision precision, std::int64_t order,
             std::int64_t extent) noexcept;

  /// The triangle of the next solves; it must not change meanwhile. Takes no memory.
  void begin(const SolvedTriangle& triangle) noexcept;
  /// Overwrites B, a block of the same matrix, with X.
  void solve(const Block& x) const;

 private:
  void solve(Interval lines, const Block& x) const;
  void solve_leaf(Interval lines, const Block& x) const;
  bool invert(Interval leaf) noexcept;
  Block part_of(const Block& x, Interval lines) const;

  const BlockSteps& steps_;
  const Precision precision_;
  SolvedTriangle triangle_;
  PageBlock inverses_, in_double_, copy_;
  std::vector<char> is_inverted_;  ///< per leaf
};

}  // namespace duoblas

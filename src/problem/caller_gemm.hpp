// The caller's arguments of gemm, in the caller's storage order: checked, then made row-major.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The arguments of a ?gemm call as given: the same fields as GemmProblem, and `layout`.
struct CallerGemm {
  Layout layout = Layout::row_major;
  GemmProblem args;
};

/// Positions of the arguments that differ between gemm and its batches.
struct GemmPositions {
  int a = 8, lda = 9, b = 10, ldb = 11, c = 13, ldc = 14;
};

/// Checks the arguments as the reference BLAS does. \throws ArgumentError with the position in
/// duoblas_?gemm (layout 1, op_a 2, op_b 3, m 4, n 5, k 6, alpha 7, a 8, lda 9, b 10, ldb 11,
/// beta 12, c 13, ldc 14), or as given. Nothing has been read or written then.
void check(const CallerGemm& call, const GemmPositions& at = {});

/// The same product as a row-major problem: column-major C = op(A)op(B) is row-major
/// C' = op(B)'op(A)', and a column-major matrix is the transpose of the row-major one in the
/// same memory, so the operands trade places and each keeps its op.
GemmProblem to_row_major(const CallerGemm& call);

}  // namespace duoblas

// The caller's arguments of gemm, in the caller's storage order: checked, then made row-major.
#pragma once

#include <string_view>

#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The arguments of a ?gemm call as given: the same fields as GemmProblem, and `layout`.
struct CallerGemm {
  Layout layout = Layout::row_major;
  GemmProblem args;
};

/// The arguments of duoblas_?gemm in order (NamedArguments).
inline constexpr std::string_view gemm_arguments =
    "layout op_a op_b m n k alpha a lda b ldb beta c ldc";

/// Checks the arguments as the reference BLAS does. \throws ArgumentError with the position in
/// `names`. Nothing has been read or written then.
void check(const CallerGemm& call, std::string_view names = gemm_arguments);

/// The same product as a row-major problem: column-major C = op(A)op(B) is row-major
/// C' = op(B)'op(A)', and a column-major matrix is the transpose of the row-major one in the
/// same memory, so the operands are swapped and each keeps its op.
GemmProblem to_row_major(const CallerGemm& call);

}  // namespace duoblas

// Converts a drop-in's call, which arrives as plain C, to the C++ problems.
#pragma once

#include "problem/blas_call.h"
#include "problem/caller_level3.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// \pre one of level 3, but gemm.
Routine routine_of(int routine);

/// The meaning of CBLAS's values. \pre they are legal.
Op op_of_value(int op);
Side side_of_value(int side);
Uplo uplo_of_value(int uplo);

/// A call of gemm, row-major. \pre its arguments were checked.
GemmProblem gemm_problem(const duoblas_blas_call& call);

/// A call of gemv, row-major. \pre its arguments were checked.
GemvProblem gemv_problem(const duoblas_blas_call& call);

/// Reduces the call to this product, which computes the last rows of the call's row-major C.
void keep_rows(duoblas_blas_call& call, const GemmProblem& rows);

/// The same call in C++. \pre its routine is of level 3, but gemm; its arguments were checked.
CallerLevel3 caller_level3(const duoblas_blas_call& call);

}  // namespace duoblas

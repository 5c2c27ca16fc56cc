// A drop-in's call, as it crosses from plain C, in the words of the rest.
#pragma once

#include "problem/caller_level3.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/level3_call.h"

namespace duoblas {

/// \pre one of enum duoblas_routine, but gemm.
Routine routine_of(int routine);

/// A call of gemm, row-major. \pre its arguments were checked.
GemmProblem gemm_problem(const duoblas_level3_call& call);

/// The call becomes that of the product, which has the last rows of the row-major C of its own.
void keep_rows(duoblas_level3_call& call, const GemmProblem& rows);

/// The same call in C++. \pre its routine is any but gemm; its arguments were checked.
CallerLevel3 caller_level3(const duoblas_level3_call& call);

}  // namespace duoblas

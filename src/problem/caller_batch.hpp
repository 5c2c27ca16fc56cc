// A call of many products as the caller wrote it: checked, then made row-major.
#pragma once

#include <duoblas/types.hpp>

#include "problem/batch_problem.hpp"

namespace duoblas {

/// How the operands of a call are given, which its arguments' positions follow.
enum class BatchForm { strided, pointers, grouped };

/// Field for field a BatchProblem, but in `layout`. Strided and by pointers it has one group.
struct CallerBatch {
  Layout layout = Layout::row_major;
  BatchForm form = BatchForm::strided;
  BatchProblem args;
};

/// Checks shapes, strides and the arrays' pointers, where they will be read through. \throws
/// ArgumentError with the position in duoblas_?gemm_strided_batched, duoblas_?gemm_batched or
/// duoblas_?gemm_grouped. Nothing of the matrices has been read or written then.
void check(const CallerBatch& call);

/// As to_row_major() of caller_gemm.hpp, for each group.
BatchProblem to_row_major(CallerBatch&& call);

}  // namespace duoblas

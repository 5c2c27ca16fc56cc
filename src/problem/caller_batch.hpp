// A call of many products as the caller wrote it: checked, then made row-major.
#pragma once

#include <duoblas/types.hpp>

#include "problem/batch_problem.hpp"

namespace duoblas {

/// How the caller gives the operands; the order of arguments depends on it.
enum class BatchForm { strided, pointers, grouped };

/// The same fields as BatchProblem, and `layout`. Strided batches and batches by pointers have one
/// group.
struct CallerBatch {
  Layout layout = Layout::row_major;
  BatchForm form = BatchForm::strided;
  BatchProblem args;
};

/// Checks shapes, strides, and the arrays' pointers if they will be read through. \throws
/// ArgumentError with the position in duoblas_?gemm_strided_batched, duoblas_?gemm_batched or
/// duoblas_?gemm_grouped. No matrix was read or written then.
void check(const CallerBatch& call);

/// As to_row_major() of caller_gemm.hpp, for each group.
BatchProblem to_row_major(CallerBatch&& call);

}  // namespace duoblas

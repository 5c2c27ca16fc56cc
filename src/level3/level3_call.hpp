// A drop-in's call, as it crosses from plain C.
#pragma once

#include "engine/engine.hpp"
#include "level3/blocked_level3.hpp"
#include "problem/caller_level3.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/level3_call.h"

namespace duoblas {

/// \pre one of enum duoblas_routine, but gemm.
Routine routine_of(int routine);

/// A call of gemm, row-major. \pre its arguments were checked.
GemmProblem gemm_problem(const duoblas_level3_call& call);

/// The same call in C++. \pre its routine is any but gemm; its arguments were checked.
CallerLevel3 caller_level3(const duoblas_level3_call& call);

/// Whether the GPU helps, or the engine insists on it, and our CPU BLAS can do its part. Writes
/// nothing.
bool gpu_helps(Engine& engine, const Level3Problem& problem);

/// Computes where the GPU helps, or where the engine insists on it, and fills `report` (where
/// given). False: the program's own BLAS is to do it, nothing was written; so also where our CPU
/// BLAS lacks the routine. \pre as caller_level3's. \throws CpuBlasError where a CPU BLAS that was
/// there fails later on.
bool run_where_gpu_helps(Engine& engine, const duoblas_level3_call& call,
                         Level3Report* report = nullptr);

}  // namespace duoblas

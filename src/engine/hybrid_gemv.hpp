// One gemv on both sides at once.
#pragma once

#include <functional>

#include "cpu/cpu_side.hpp"
#include "engine/arriving_result.hpp"
#include "engine/hybrid_gemm.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "planner/plan.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

class ResidentMatrix;

/// A check of the GPU's part, as a product of matrices, once its sums have arrived; nothing: none
/// is due.
using ChecksGemv = std::function<std::optional<WantedCheck>(const GemmProblem& of_sums)>;

/// Computes `problem`: the GPU plan.gpu_extent elements of y, first and flushed, the CPU the
/// others, then the join. y is complete, whatever the GPU did: its sums arrive beside y, so a GPU
/// that fails leaves that as it was, and the CPU computes its part. \throws CpuBlasError.
HybridOutcome hybrid_gemv(GpuSide& gpu, CpuSide& cpu, const GemvProblem& problem, const Plan& plan,
                          const GemvKernel& kernel, const ResidentMatrix* resident,
                          const ChecksGemv& checks);

}  // namespace duoblas

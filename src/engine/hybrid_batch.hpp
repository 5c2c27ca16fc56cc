// A batch on both sides at once, in the same order of work as hybrid_gemm, but divided by products
// instead of rows. The caller has the GPU until this returns. C is complete then, as after
// hybrid_gemm.
#pragma once

#include "engine/batch_check.hpp"
#include "engine/hybrid_gemm.hpp"
#include "gpu/product/batch_job.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

/// Submits and flushes the GPU's part, does the CPU's part on this thread and its workers, then
/// joins both. If the GPU fails, or `check` finds its results wrong, the CPU does its part too.
/// `check` null: no check. `in_times`: the times include the check. \pre no group of the GPU's part
/// only scales C. \throws CpuBlasError; the GPU has stopped working on the caller's memory by then.
HybridOutcome hybrid_batch(GpuSide& gpu, CpuSide& cpu, const PartitionedBatch& parts,
                           SharingMode sharing, const CpuConfig& config,
                           BatchCheck* check = nullptr, bool in_times = false);

}  // namespace duoblas

// A batch on both sides at once: hybrid_gemm's order of work, divided by products instead of rows.
// The caller has the GPU until this returns. C is complete then, as after hybrid_gemm.
#pragma once

#include "engine/batch_check.hpp"
#include "engine/hybrid_gemm.hpp"
#include "gpu/batch_job.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

/// The GPU's part is submitted and flushed, then the CPU does its own on this thread and its
/// workers, then both are joined; a GPU that fails has its part done by the CPU, and so has one
/// whose results `check` finds wrong (null: none; in the times where `in_times`). \pre no group of
/// the GPU's part only scales C. \throws CpuBlasError; the GPU has stopped working on the caller's
/// memory by then.
HybridOutcome hybrid_batch(GpuSide& gpu, CpuSide& cpu, const CutBatch& parts, SharingMode sharing,
                           const CpuConfig& config, BatchCheck* check = nullptr,
                           bool in_times = false);

}  // namespace duoblas

// One memory-bound call (gemv, ger, axpy, omatcopy) on both sides at once, in the same order of
// work as hybrid_gemm, but divided by outputs. The caller has the GPU until this returns.
#pragma once

#include <cstdint>

#include "cpu/cpu_side.hpp"
#include "engine/hybrid_gemm.hpp"
#include "engine/stream_routine.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// Which of the GPU's outputs are checked.
struct StreamCheck {
  bool wanted = false;
  bool all = false;
  std::uint64_t seed = 0;
};

struct StreamOutcome : HybridOutcome {
  bool was_wrong = false;
  bool cpu_failed = false;  ///< memory was short, say; the GPU did all
};

/// Submits plan.gpu_extent outputs to the GPU and flushes, does the others on the CPU, then joins
/// both.
///
/// The result is complete whatever the GPU did, unless it hangs and may still write to the result
/// (c_is_out_of_reach). If the CPU fails before it has begun to change its outputs, the GPU does
/// them. \throws CpuBlasError or std::bad_alloc of the CPU side if it had begun, or if the GPU
/// fails too. By then the GPU has stopped, and its outputs have their old values if those are
/// needed, except for the finished pieces of a large update.
StreamOutcome hybrid_stream(GpuSide& gpu, CpuSide& cpu, const StreamRoutine& routine,
                            const Plan& plan, const StreamCheck& check);

}  // namespace duoblas

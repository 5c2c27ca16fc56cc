// One call whose speed memory limits (gemv, ger, axpy, omatcopy) on both sides at once:
// hybrid_gemm's order of work, divided by outputs. The caller has the GPU until this returns.
#pragma once

#include <cstdint>

#include "cpu/cpu_side.hpp"
#include "engine/hybrid_gemm.hpp"
#include "engine/stream_routine.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// Which of the GPU's outputs are looked at.
struct StreamCheck {
  bool wanted = false;
  bool all = false;
  std::uint64_t seed = 0;
};

struct StreamOutcome : HybridOutcome {
  bool was_wrong = false;
  bool cpu_failed = false;  ///< memory was short, say: the GPU did all
};

/// The GPU plan.gpu_extent outputs, first and flushed, the CPU the others, then the join. Complete
/// whatever the GPU did, but where it hangs and may still write to the result by itself
/// (c_is_out_of_reach); and where the CPU fails before it has begun to change its outputs, which
/// the GPU does then. \throws what the CPU side throws, CpuBlasError or std::bad_alloc, where it
/// has begun, or the GPU fails too: the GPU has stopped by then, and its part has its old values
/// where they are needed, but for the finished pieces of a large update.
StreamOutcome hybrid_stream(GpuSide& gpu, CpuSide& cpu, const StreamRoutine& routine,
                            const Plan& plan, const StreamCheck& check);

}  // namespace duoblas

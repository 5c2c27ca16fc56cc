// The heart: one product on both sides at once.
#pragma once

#include "cpu/cpu_side.hpp"
#include "gpu/gpu_side.hpp"
#include "plan/plan.hpp"

namespace duoblas {

/// Seconds that each side took within one call, from the call's start.
struct SideTimes {
  double gpu = 0;
  double cpu = 0;
  double whole = 0;
};

/// Computes `problem` as `plan` says: GPU first (submit flushes), then the CPU on this thread and
/// its workers, then the join. \throws DeviceError where the GPU failed (its part of C is not
/// done, and holds its old values wherever beta != 0), CpuBlasError where the CPU did.
SideTimes hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan);

}  // namespace duoblas

// The heart: one product on both sides at once.
//
//   RecoverableJob  gpu.submit(top)   enqueue and flush: the GPU works now
//                   cpu.run(bottom)   CPU BLAS, on the calling thread and its workers
//                   job.join()        wait; what the GPU did not do is done by the CPU
//
// In: a problem, its plan, both sides. Out: C, complete (unless c_is_out_of_reach), and what each
// side took. Decides nothing, learns nothing, prints nothing. The caller has the GPU (gpu_gate.hpp)
// until this returns.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cpu/cpu_side.hpp"
#include "engine/arriving_result.hpp"
#include "engine/old_result.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// Seconds from the start of the call to the end of each side, and to the join. The GPU's include
/// the copy of a staged C to the caller's memory, though that comes after the join.
struct SideTimes {
  double gpu = 0;
  double cpu = 0;
  double whole = 0;
  /// The GPU had ended before the CPU, and the device did not tell when: `gpu` is an upper bound.
  bool gpu_at_most = false;
};

/// The result of checking the GPU's part, and the processor time of the check.
struct CheckedResult {
  CheckVerdict verdict;
  double seconds = 0;
};

/// The outcome of one hybrid product. C is complete unless c_is_out_of_reach.
struct HybridOutcome {
  SideTimes times;
  /// For the GPU's part, if it was checked.
  std::optional<CheckedResult> check;
  /// A sample was checked while it arrived. So the times contain the check: do not learn from
  /// them.
  bool check_in_times = false;
  /// Why the CPU computed the GPU's part: the GPU failed, or its result was wrong. Empty if nothing
  /// failed.
  std::string gpu_failure;
  int gpu_error_code = 0;  ///< cl_int, 0 where DuoBLAS itself declined the work
  bool failed_after_submit = false;
  bool gpu_hung = false;
  /// C is not complete, and cannot be completed: a GPU that hangs may still write to it.
  bool c_is_out_of_reach = false;

  bool is_wrong() const { return check && check->verdict.wrong; }
};

/// Computes `problem` as `plan` says: GPU first (submit flushes), then the CPU on this thread and
/// its workers, then the join. \throws CpuBlasError if the CPU side failed; the GPU has stopped
/// using the caller's memory by then. `wanted`: a check of the GPU's part. It is made before this
/// returns, and the CPU computes a wrong part again; null: no check. The times contain a check only
/// if it is made beside the GPU or while the result arrives.
HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const GemmProblem& problem, const Plan& plan,
                          const ResidentOperands& resident = {}, WantedCheck* wanted = nullptr);

/// The same, but instead of the rest of the product the CPU runs `beside` on this thread. parts.gpu
/// is the GPU's part; parts.cpu tells where `beside` writes. `old_result`: as in HybridProduct.
HybridOutcome hybrid_gemm(GpuSide& gpu, CpuSide& cpu, const PartitionedProblem& parts,
                          const Plan& plan, const std::function<void()>& beside,
                          const ResidentOperands& resident = {}, WantedCheck* wanted = nullptr,
                          OldResult* old_result = nullptr);

/// The CPU alone, timed in the same way.
SideTimes cpu_gemm(CpuSide& cpu, const GemmProblem& problem, const CpuConfig& config);

}  // namespace duoblas

// A GPU job whose failures are remembered instead of thrown, so that the CPU can do its part.
//
// hybrid_gemm makes one per call, on the calling thread. It owns the job, and waits for it before
// the caller's memory may go. After join() said false, unfinished() is what the CPU has to do.
#pragma once

#include <span>
#include <string>

#include "engine/job_failure.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"
#include "problem/cut.hpp"

namespace duoblas {

class RecoverableJob {
 public:
  /// Enqueues the GPU's part and flushes. Where that fails, join() says false. `arrivals` as
  /// Sharing's.
  RecoverableJob(GpuSide& gpu, const CutProblem& parts, const Plan& plan,
                 const ResidentOperands& resident, ArrivalCheck* arrivals = nullptr) noexcept;

  /// Waits. False: not all of the part is done.
  bool join() noexcept;
  /// What is left to do then. C holds its old values there wherever beta != 0.
  std::span<const GemmProblem> unfinished() const;

  GpuJobTimes times() const { return job_.times(); }
  /// Why; whoever asks has it.
  std::string take_failure() noexcept { return failure_.take(); }
  int error_code() const { return failure_.error_code(); }
  bool submitted() const { return submitted_; }
  bool hung() const { return failure_.hung(); }
  bool may_write_c() const { return failure_.may_write_c(); }

 private:
  const GemmProblem part_;
  GpuJob job_;
  bool submitted_ = false;
  JobFailure failure_;
};

}  // namespace duoblas

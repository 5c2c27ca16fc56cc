// A GPU job that remembers its failures instead of throwing, so that the CPU can do its part.
//
// A hybrid product has one. It owns the job, and waits for it before the caller's memory may go. If
// join() returns false, unfinished() is the work that the CPU has to do.
#pragma once

#include <span>
#include <string>

#include "engine/job_failure.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"
#include "problem/partition.hpp"

namespace duoblas {

class RecoverableJob {
 public:
  /// Enqueues the GPU's part and flushes. If that fails, join() returns false. `arrivals`,
  /// `behind_another` and `keeps_old_c` as in Sharing.
  RecoverableJob(GpuSide& gpu, const PartitionedProblem& parts, const Plan& plan,
                 const ResidentOperands& resident, ArrivalCheck* arrivals = nullptr,
                 bool behind_another = false, bool keeps_old_c = true) noexcept;

  /// Waits. False: not all of the part is done.
  bool join() noexcept;
  /// The work that is left then. Where beta != 0, C still has its old values there, if they were to
  /// be kept.
  std::span<const GemmProblem> unfinished() const;

  GpuJobTimes times() const { return job_.times(); }
  /// The reason; returned once.
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

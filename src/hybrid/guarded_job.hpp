// A GPU job whose failures are remembered instead of thrown, so that the CPU can step in.
#pragma once

#include <string>

#include "gpu/gpu_side.hpp"
#include "plan/plan.hpp"

namespace duoblas {

class GuardedJob {
 public:
  /// Enqueues and flushes. Where that fails, nothing of C was written and join() says false.
  GuardedJob(GpuSide& gpu, const GemmProblem& part, const Plan& plan,
             const ResidentOperands& resident) noexcept;

  /// Waits. False: the part is not done (C holds its old values wherever beta != 0).
  bool join() noexcept;

  GpuJobTimes times() const { return job_.times(); }
  const std::string& failure() const { return failure_; }
  int error_code() const { return error_code_; }
  bool submitted() const { return submitted_; }

 private:
  void remember() noexcept;

  GpuJob job_;
  bool submitted_ = false;
  std::string failure_;
  int error_code_ = 0;
};

}  // namespace duoblas

// y = alpha op(A) x + beta y as a Call: the device has y's first elements, the CPU the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/call.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/gemv_job.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// "dgemv rows=3 columns=4": for DUOBLAS_VERBOSE=2.
std::string text_of(const GemvProblem& problem);

/// A number for the code that runs. Calls with the same number and similar sizes are alike.
/// `prepared`: A is a prepared matrix.
std::uint64_t gemv_number(const GemvProblem& problem, bool prepared);

/// The kernel for the device's part.
GemvKernel gemv_kernel(const GpuSide& gpu, const GemvProblem& problem);

/// All programs that the device's part may need, wherever operands lie. They are built in the
/// background, and not used any more after a wrong result. Reads no operand.
std::vector<TriedProgram> programs_of(const GpuSide& gpu, const GemvProblem& problem);

class GemvCall final : public Call {
 public:
  /// `a`: the matrix on some device that contains A; null: A is in the caller's memory only.
  GemvCall(const GemvProblem& problem, const ResidentMatrix* a, Outcome& told)
      : Call(told), problem_(problem), a_(a), launches_(problem_) {}

  Precision precision() const override { return problem_.precision; }
  bool launches_plans_kernel() const override { return false; }
  const Launches& launches() override { return launches_; }
  void run_alone(CpuSide& cpu) override { cpu.run(problem_, plan.cpu); }
  void start(GpuSide& gpu) override;
  void run_beside(CpuSide& cpu) override { cpu.run(of_cpu(), plan.cpu); }
  void wait() override;
  /// If the device had ended before the wait, the time is that of the CPU's end.
  GpuJobTimes times(double now) const override { return {0, now, is_done_ && job_.was_early()}; }
  void finish(CpuSide& cpu) override { run_part(cpu); }
  void run_part(CpuSide& cpu) override { cpu.run(of_gpu(), plan.cpu); }
  void end() noexcept override { job_ = {}; }
  void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept override;
  PartCheck check(bool done) override;
  std::string describe(const PartCheck&) const override { return *wrong_; }
  void publish() override { add_sums(of_gpu(), job_.results()); }
  /// The device wrote nothing of the caller's.
  void undo() noexcept override {}
  Suspect suspect(const ResultChecks& checks) const noexcept override;
  bool reject(GpuSide& gpu, const std::string& why) override;

 private:
  GemvProblem of_gpu() const { return outputs_of(problem_, {0, plan.gpu_extent}); }
  GemvProblem of_cpu() const {
    return outputs_of(problem_, {plan.gpu_extent, problem_.outputs() - plan.gpu_extent});
  }

  const GemvProblem problem_;
  const ResidentMatrix* const a_;
  const Launches launches_;
  GemvSample sample_;
  std::vector<TriedProgram> programs_;  ///< that are checked
  GemvJob job_;
  std::optional<std::string> wrong_;  ///< the element that a check found wrong
  bool is_done_ = false;
};

}  // namespace duoblas

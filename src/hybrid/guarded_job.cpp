#include "hybrid/guarded_job.hpp"

#include <exception>

#include <duoblas/error.hpp>

#include "cpu/fork_state.hpp"

namespace duoblas {

GuardedJob::GuardedJob(GpuSide& gpu, const CutProblem& parts, const Plan& plan,
                       const ResidentOperands& resident) noexcept
    : part_(parts.gpu) {
  // Cut by columns, the rows of this part alternate with the CPU's in memory.
  const bool alternates = plan.axis == Axis::columns && plan.sharing == SharingMode::host_pointer;
  const SharingMode of_c = alternates ? SharingMode::staged : plan.sharing;
  const ActiveWork no_fork;  // a driver that builds a kernel may load it as a library
  try {
    job_ = gpu.submit(part_, plan.kernel, {plan.sharing, of_c, resident, &parts.cpu});
    submitted_ = true;
  } catch (...) {
    remember();
  }
}

bool GuardedJob::join() noexcept {
  if (!submitted_) return false;
  try {
    job_.wait();
    return true;
  } catch (...) {
    remember();
    return false;
  }
}

std::vector<GemmProblem> GuardedJob::unfinished() const {
  return submitted_ ? job_.unfinished() : std::vector<GemmProblem>{part_};
}

// Short memory counts as a failure of the GPU's side: the CPU needs none of the staging.
void GuardedJob::remember() noexcept {
  try {
    throw;
  } catch (const DeviceError& error) {
    failure_ = error.what();
    error_code_ = error.code();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

}  // namespace duoblas

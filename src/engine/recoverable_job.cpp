#include "engine/recoverable_job.hpp"

#include "os/fork_state.hpp"

namespace duoblas {

RecoverableJob::RecoverableJob(GpuSide& gpu, const PartitionedProblem& parts, const Plan& plan,
                               const ResidentOperands& resident, ArrivalCheck* arrivals,
                               bool behind_another, bool keeps_old_c) noexcept
    : part_(parts.gpu) {
  // If C is partitioned by columns, the rows of this part alternate with the CPU's in memory.
  const bool alternates = plan.axis == Axis::columns && plan.sharing == SharingMode::host_pointer;
  const SharingMode of_c = alternates ? SharingMode::staged : plan.sharing;
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  try {
    job_ = gpu.submit(
        part_, plan.kernel,
        {plan.sharing, of_c, resident, &parts.cpu, arrivals, behind_another, keeps_old_c});
    submitted_ = true;
  } catch (...) {
    failure_.remember();
  }
}

bool RecoverableJob::join() noexcept {
  if (!submitted_) return false;
  try {
    job_.wait();
    return true;
  } catch (...) {
    failure_.remember();
    return false;
  }
}

std::span<const GemmProblem> RecoverableJob::unfinished() const {
  return submitted_ ? job_.unfinished() : std::span(&part_, 1);
}

}  // namespace duoblas

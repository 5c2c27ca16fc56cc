#include "engine/guarded_job.hpp"

#include <exception>
#include <new>

#include <duoblas/error.hpp>

#include "cpu/fork_state.hpp"
#include "opencl/patience.hpp"

namespace duoblas {

GuardedJob::GuardedJob(GpuSide& gpu, const CutProblem& parts, const Plan& plan,
                       const ResidentOperands& resident, ArrivalCheck* arrivals) noexcept
    : part_(parts.gpu) {
  // Cut by columns, the rows of this part alternate with the CPU's in memory.
  const bool alternates = plan.axis == Axis::columns && plan.sharing == SharingMode::host_pointer;
  const SharingMode of_c = alternates ? SharingMode::staged : plan.sharing;
  const ActiveWork no_fork;  // a driver that builds a kernel may load it as a library
  try {
    job_ = gpu.submit(part_, plan.kernel, {plan.sharing, of_c, resident, &parts.cpu, arrivals});
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

std::span<const GemmProblem> GuardedJob::unfinished() const {
  return submitted_ ? job_.unfinished() : std::span(&part_, 1);
}

// Short memory counts as a failure of the GPU's side: the CPU needs none of the staging.
void GuardedJob::remember() noexcept {
  try {
    throw;
  } catch (const cl::DeviceHung& hung) {
    note(hung.what());
    hung_ = true;
    may_write_c_ = hung.may_write_c;
  } catch (const DeviceError& error) {
    note(error.what());
    error_code_ = error.code();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

void GuardedJob::note(const char* failure) noexcept {
  try {
    failure_ = failure;
  } catch (const std::bad_alloc&) {
    failure_ = "memory is short";  // short enough to need none
  }
}

}  // namespace duoblas

// The GPU's part of a product: bind memory, enqueue, FLUSH; later, wait.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gpu/device/resident_matrix.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/download_ring.hpp"
#include "problem/gemm_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

class OpenedDevice;

/// How the operands of a part reach the device and how the result returns.
struct Sharing {
  SharingMode operands = SharingMode::staged;  ///< A and B
  SharingMode result = SharingMode::staged;    ///< C
  /// Ignored if `operands` is host_pointer, and by other devices than theirs.
  ResidentOperands resident = {};
  /// The part that the CPU computes meanwhile: windows of A and B must not touch its C. Null: none.
  const GemmProblem* host_part = nullptr;
  /// For a part with beta != 0: checks rows before they are copied to the caller's memory, or is
  /// told by submit that it cannot. Null: no check.
  ArrivalCheck* arrivals = nullptr;
  /// The device may have another job now, the last one submitted: the kernel's rate does not follow
  /// from this one's time, and the wait for the other job has this one's deadline. Neither's A and
  /// B change until both have ended. So where both have the same B, it is packed once.
  bool behind_another = false;
  /// False: where the device writes to C itself, no old values are saved. After a failure C of
  /// unfinished() parts is undefined then.
  bool saves_old_c = true;
};

/// Bytes copied so far. staged: operands and results, on the host, to the device and back. saved:
/// old values of a C that the device writes in place, kept until the device cannot fail any more.
/// packed: copies that the device made.
struct CopiedBytes {
  std::uint64_t staged = 0, saved = 0, packed = 0;
};

/// When the stages of a job ended, in seconds from the start of submit.
struct GpuJobTimes {
  double kernels = 0;  ///< the last kernel
  double whole = 0;    ///< the result was in the caller's memory, too
  /// The kernels had ended before wait() looked, and the device's timestamps do not tell when: both
  /// are upper bounds.
  bool at_most = false;
};

/// A running job of the GPU. The destructor waits, so that memory is never freed while it is used.
class GpuJob {
 public:
  GpuJob();  ///< nothing to do: wait() returns at once
  GpuJob(GpuJob&&) noexcept;
  GpuJob& operator=(GpuJob&&) noexcept;
  ~GpuJob();

  /// Waits for the kernels and brings the result to the caller's memory. \throws DeviceError; if
  /// beta != 0, unfinished() parts of C then have their old values.
  void wait();
  /// The parts of C that are missing after wait() has thrown. Lives as long as the job, since
  /// memory may be short by then.
  std::span<const GemmProblem> unfinished() const;
  /// Zeros before wait() has returned, and for an empty job.
  GpuJobTimes times() const;

  /// GpuSide::submit's.
  static GpuJob start(const std::shared_ptr<OpenedDevice>& device, const GemmProblem& part,
                      const KernelParams& kernel, const Sharing& sharing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas

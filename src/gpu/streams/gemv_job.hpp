// The GPU's part of a gemv of the caller's memory.
#pragma once

#include <memory>

#include "gpu/device/opened_device.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "problem/gemv_problem.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

class ResidentMatrix;

/// A running job. Its sums are kept apart from y, so a failure changes nothing of the caller's.
class GemvJob {
 public:
  GemvJob();  ///< nothing to do: wait() returns at once
  GemvJob(GemvJob&&) noexcept;
  GemvJob& operator=(GemvJob&&) noexcept;
  /// Waits, so that memory is never freed under the device.
  ~GemvJob();

  /// Waits for the kernels. \throws DeviceError.
  void wait();
  /// alpha op(A) x, without gaps. \pre wait() returned.
  const void* results() const;
  /// Its kernels had ended before wait() looked, so nobody knows when.
  bool was_early() const;

 private:
  struct State;
  explicit GemvJob(std::unique_ptr<State> state);
  friend GemvJob start_gemv(const std::shared_ptr<OpenedDevice>& device, const GemvProblem& part,
                            const GemvKernel& kernel, SharingMode sharing,
                            const GemvProblem& host_part, const ResidentMatrix* resident);

  std::unique_ptr<State> state_;
};

/// Computes alpha op(A) x, which becomes the job's results(): y is neither read nor written. With
/// `host_pointer` A is read in place, if the driver shares it. Otherwise A is copied to the device,
/// or taken from `resident`, if that is given and belongs to the device. `host_part`: the part
/// whose y the host writes meanwhile. \pre not empty, not only_scales_y. \throws DeviceError.
GemvJob start_gemv(const std::shared_ptr<OpenedDevice>& device, const GemvProblem& part,
                   const GemvKernel& kernel, SharingMode sharing, const GemvProblem& host_part,
                   const ResidentMatrix* resident = nullptr);

}  // namespace duoblas

// The GPU's part of a batch: bind or copy its operands, enqueue, FLUSH; later, wait. It is to a
// batch what GpuJob is to one product; batch_call.hpp starts it and gives the CPU the other
// products. It owns the bindings and buffers. The caller's memory must live
// until wait() has returned.
#pragma once

#include <memory>
#include <optional>

#include "gpu/product/gpu_job.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class OpenedDevice;

/// How the device reaches a batch's operands.
struct BatchSharing {
  SharingMode operands = SharingMode::staged;
  /// The products that the CPU computes meanwhile: windows of A and B must not touch their C. Null:
  /// none.
  const BatchProblem* host_part = nullptr;
  /// Used instead of the kernels of batched_kernels.hpp.
  std::optional<KernelParams> kernel = {};
};

/// A running job of the GPU. The destructor waits, so that memory is never freed while it is used.
class BatchJob {
 public:
  BatchJob();  ///< nothing to do: wait() returns at once
  BatchJob(BatchJob&&) noexcept;
  BatchJob& operator=(BatchJob&&) noexcept;
  ~BatchJob();

  /// Waits for the kernels and copies all results to the caller's memory. \throws DeviceError; if
  /// beta != 0, every C then has its old values.
  void wait();
  /// As GpuJob's.
  GpuJobTimes times() const;

  /// GpuSide::submit's. \throws DeviceError.
  static BatchJob start(const std::shared_ptr<OpenedDevice>& device, const BatchProblem& part,
                        const BatchSharing& sharing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas

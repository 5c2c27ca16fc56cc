// The GPU's part of a batch: bind or copy its operands, enqueue, FLUSH; later, wait. As GpuJob is
// for one product; hybrid_batch.hpp starts it and gives the CPU the other products. Owns the
// bindings and buffers (batch_on_device.hpp); the caller's memory must live until wait() returned.
#pragma once

#include <memory>
#include <optional>

#include "gpu/gpu_side.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

struct OpenedDevice;

/// How a batch comes to the device.
struct BatchSharing {
  SharingMode operands = SharingMode::staged;
  /// What the CPU computes meanwhile: no window of A or B is to touch its C. Null: nothing.
  const BatchProblem* host_part = nullptr;
  /// Instead of what each group's shape has in batched_kernels.hpp.
  std::optional<KernelParams> kernel = {};
};

/// Work under way on the GPU. The destructor waits, so that memory is never freed under it.
class BatchJob {
 public:
  BatchJob();  ///< nothing to do: wait() returns at once
  BatchJob(BatchJob&&) noexcept;
  BatchJob& operator=(BatchJob&&) noexcept;
  ~BatchJob();

  /// Waits for the kernels and makes all results the caller's. \throws DeviceError; wherever beta
  /// != 0, every C then holds its old values.
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

// One open device, and what its jobs share. Each part has an owner of its own:
//
//   GpuSide ──┐                ┌─ kernels, choices   programs and verdicts     thread-safe
//   jobs      ├─ shared_ptr ─> ├─ pace               how fast it is            thread-safe
//   matrices ─┘                ├─ memory             the caller's memory       thread-safe
//                              └─ queue, scratch, pipeline()                   under the mutex
//
// It lives as long as the last of its holders. `mutex` is also that of the order in which jobs are
// enqueued. What only kernels need is a TargetDevice, which is constant.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/device/device_scratch.hpp"
#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/launch_bound.hpp"
#include "gpu/device/timestamp_trust.hpp"
#include "gpu/kernels/gemv_choice.hpp"
#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/kernels/target_device.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/handles.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

class TransferPipeline;

/// When a job's kernels ended.
struct KernelsEnd {
  double seconds = 0;  ///< from its start
  /// They had ended before the host looked, and the device's timestamps do not tell when, or are
  /// not believed.
  bool at_most = false;
};

class OpenedDevice : public TargetDevice {
 public:
  /// `trials`: of gemm's kernels, which `verification` may want.
  OpenedDevice(const cl::Device& device, const GpuFolders& folders, bool profiling = false,
               std::size_t memory_limit = 0, const GpuBounds& bounds = {},
               const Verification& verification = {}, const ProductTrials& trials = {});
  /// On a program's own queue, for whose commands it never waits, at its end neither: OpenCL keeps
  /// what they use.
  OpenedDevice(cl::QueueInContext opened, const GpuFolders& folders, const GpuBounds& bounds = {},
               const Verification& verification = {}, const ProductTrials& trials = {});
  OpenedDevice(const OpenedDevice&) = delete;
  OpenedDevice& operator=(const OpenedDevice&) = delete;
  ~OpenedDevice();

  std::mutex mutex;
  cl::Queue queue;
  OperandMemory memory;
  LaunchPace pace;
  /// Whether it may wait for the device; a program's own queue may not run yet.
  const bool may_wait;
  KernelCache kernels;
  GemvChoice gemv;
  DeviceScratch scratch;

  /// Of transfers; made for the first job that uses it. \throws DeviceError.
  TransferPipeline& pipeline();
  /// Null: no job has used it yet.
  const TransferPipeline* pipeline_if_made() const { return pipeline_.get(); }
  /// Frees what is kept for later jobs. The mutex must not be held.
  void let_go() noexcept;

  /// `limits` minus the memory of matrices that stay there.
  DeviceLimits free_limits() const;
  /// Whether so many bytes more may stay (resident_matrix.hpp), beside which products have half of
  /// the device's memory.
  bool has_room_to_stay(std::size_t bytes) const;
  void stays(std::size_t bytes) { resident_bytes_ += bytes; }
  void leaves(std::size_t bytes) { resident_bytes_ -= bytes; }

  /// Nothing more is sent to a device that hangs, which the previous holder of the mutex may have
  /// found out. \throws DeviceHung.
  void refuse_if_hung() const;
  /// Announces the next work: the deadline for the device depends on it.
  void expect(const GemmProblem& part, const KernelParams& kernel);
  /// Waits for a job's last kernel, and asks whether any failed. `enqueued`: when that one was, in
  /// seconds from the job's start. \throws DeviceError.
  KernelsEnd wait_for_kernels(const cl::Event& last, const EarlierKernels& earlier,
                              const Stopwatch& since_start, double enqueued);

  /// After a failure: when this returns, all enqueued commands have ended, or the device was given
  /// up. The device may already be failing. Any thread.
  void drain() noexcept;
  /// In an exception handler, after drain(): rethrows the exception, or throws that the device
  /// hangs, which may have been found only by drain(). `may_write_c`: as in DeviceHung.
  [[noreturn]] void rethrow_drained(bool may_write_c);

 private:
  struct Mode {
    bool profiling = false, may_wait = true;
    std::size_t memory_limit = 0;
  };
  OpenedDevice(cl::QueueInContext opened, const Mode& mode, const GpuFolders& folders,
               const GpuBounds& bounds, const Verification& verification,
               const ProductTrials& trials);

  TimestampTrust timestamps_;
  std::atomic<std::size_t> resident_bytes_{0};
  std::unique_ptr<TransferPipeline> pipeline_;
};

}  // namespace duoblas

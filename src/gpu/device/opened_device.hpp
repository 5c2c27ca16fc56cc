// One open device, and everything that its jobs share: context, queue, compiled kernels, buffers
// for copies, the pipeline of transfers.
//
//   GpuSide ──┐
//   jobs      ├─ shared_ptr ─> OpenedDevice ─> kernels (KernelCache), memory (OperandMemory),
//   matrices ─┘                                scratch, pipeline
//
// It lives as long as the last of its holders. `mutex` guards the members below it, and the order
// of jobs on the queue. Members above it are thread-safe, atomic or constant.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/device/device_scratch.hpp"
#include "gpu/device/launch_bound.hpp"
#include "gpu/device/packed_operand.hpp"
#include "gpu/device/panel_ability.hpp"
#include "gpu/device/timestamp_trust.hpp"
#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/kernels/kernel_choice.hpp"
#include "gpu/kernels/routine_kernels.hpp"
#include "kernel_space/device_limits.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/handles.hpp"
#include "problem/batch_problem.hpp"

namespace duoblas {

class TransferPipeline;

struct OpenedDevice {
  OpenedDevice(const cl::Device& device, const GpuFolders& folders, bool profiling = false,
               std::size_t memory_limit = 0, const GpuBounds& bounds = {},
               const Verification& verification = {});
  /// On a program's own queue. Waits for its commands.
  OpenedDevice(cl::QueueInContext opened, const GpuFolders& folders, const GpuBounds& bounds = {},
               const Verification& verification = {});
  ~OpenedDevice();

  cl::Context context;
  cl::Queue queue;
  OperandMemory memory;
  DeviceLimits limits;
  std::atomic<std::size_t> resident_bytes{0};  ///< of matrices that stay (resident_matrix.hpp)
  TimestampTrust timestamps;
  LaunchPace pace;
  /// Whether it may wait for the device; a program's own queue may not run yet.
  bool may_wait = true;
  PanelAbility panels;
  std::mutex mutex;  ///< of everything below, and of the order in which jobs are enqueued
  std::unique_ptr<KernelVerifier> verifier;  ///< null: all kernels count as right
  KernelCache kernels;
  RoutineKernels routines;  ///< of routines beside gemm
  StreamChoices choices;
  DeviceScratch scratch;
  PackedB last_b;  ///< the last that a job packed in one piece, for Sharing::behind_another
  /// Whether those in `scratch` are. Not after a failure. Any thread may say so.
  std::atomic<bool> tickets_are_zeros{false};
  int last_ticket = 0;                              ///< 0: scratch.flag has no value yet
  std::uint64_t packed_bytes = 0, saved_bytes = 0;  ///< by all products so far
  std::unique_ptr<TransferPipeline> pipeline;       ///< made for the first product that uses it

  void set_trials(const Verification& verification, const std::string& kernel_dir);
  /// `limits` minus the memory of matrices that stay there.
  DeviceLimits free_limits() const;
  /// Nothing more is sent to a device that hangs, which the previous holder of the mutex may have
  /// found out. \throws DeviceHung.
  void refuse_if_hung() const;
  /// Announces the next work: the deadline for the device depends on it.
  void expect(const GemmProblem& part, const KernelParams& kernel);
  void expect(const BatchProblem& part, const KernelParams& kernel);
  /// After a failure: when this returns, all enqueued commands have ended, or the device was given
  /// up. The device may already be failing.
  void drain() noexcept;
  /// In an exception handler, after drain(): rethrows the exception, or throws that the device
  /// hangs, which may have been found only by drain(). `may_write_c`: as in DeviceHung.
  [[noreturn]] void rethrow_drained(bool may_write_c);
};

}  // namespace duoblas

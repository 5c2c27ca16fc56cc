// What a GpuSide and its jobs hold together: one device, open.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>

#include "gpu/kernel_cache.hpp"
#include "gpu/timestamp_trust.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/callers_objects.hpp"
#include "opencl/handles.hpp"
#include "plan/device_limits.hpp"

namespace duoblas {

/// A buffer for packed panels and the like, kept between calls. Jobs follow one another on the one
/// in-order queue, so that a later packing never overtakes an earlier product; a job holds the
/// buffer that it uses, so that growing for the next one takes nothing away.
class ScratchBuffer {
 public:
  std::shared_ptr<const cl::Buffer> at_least(const cl::Context& context, std::size_t bytes) {
    if (bytes > bytes_) {
      buffer_ = nullptr;
      bytes_ = 0;
      buffer_ = std::make_shared<cl::Buffer>(context.allocate(bytes, cl::Access::read_write));
      bytes_ = bytes;
    }
    return buffer_;
  }

 private:
  std::shared_ptr<const cl::Buffer> buffer_;
  std::size_t bytes_ = 0;
};

class TransferPipeline;

struct OpenedDevice {
  OpenedDevice(const cl::Device& device, const std::string& cache_dir,
               const std::string& kernel_dir, bool profiling = false);
  /// On a program's own queue. Waits for what it holds.
  OpenedDevice(cl::QueueInContext opened, const std::string& cache_dir,
               const std::string& kernel_dir);
  ~OpenedDevice();

  cl::Context context;
  cl::Queue queue;
  OperandMemory memory;
  DeviceLimits limits;
  TimestampTrust timestamps;
  std::mutex mutex;  ///< of everything below, and of the order in which jobs are enqueued
  KernelCache kernels;
  ScratchBuffer packed_a;
  ScratchBuffer packed_b;
  ScratchBuffer partial;
  ScratchBuffer flag;   ///< one int: the last ticket whose operands did not suit (kernels/guard.cl)
  int last_ticket = 0;  ///< 0: the flag has no value yet
  std::unique_ptr<TransferPipeline> pipeline;  ///< made for the first product that it suits

  /// Whatever was enqueued has ended when this returns. The device may already be failing.
  void drain() noexcept;
};

}  // namespace duoblas

// Operands of one routine, type and form in the device's memory, on which its kernels are timed and
// verified.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "kernel_space/stream_kernels.hpp"

namespace duoblas {

template <typename Kernel>
class StreamCase {
 public:
  explicit StreamCase(std::shared_ptr<OpenedDevice> device) : device_(std::move(device)) {}
  virtual ~StreamCase() = default;

  /// The bytes that a call moves through memory.
  virtual double bytes() const = 0;
  /// Enqueues a call and flushes. The caller holds the device's mutex. \throws DeviceError.
  virtual cl::Event enqueue(const Kernel& kernel) = 0;
  /// Whether a call gives the right result. \throws DeviceError.
  virtual bool is_right(const Kernel& kernel) = 0;

  OpenedDevice& device() const { return *device_; }

 protected:
  std::shared_ptr<OpenedDevice> device_;
};

/// For matrices of size x size elements; axpy's vectors have as many. \throws DeviceError if the
/// device has no memory for them, or kernels' ints cannot count them.
std::unique_ptr<StreamCase<GemvKernel>> tuning_case_of(GemvKernels, GpuSide& gpu,
                                                       Precision precision, bool transposes,
                                                       std::int64_t size, unsigned seed);
std::unique_ptr<StreamCase<UpdateKernel>> tuning_case_of(GerKernels, GpuSide& gpu,
                                                         Precision precision, bool transposes,
                                                         std::int64_t size, unsigned seed);
std::unique_ptr<StreamCase<UpdateKernel>> tuning_case_of(AxpyKernels, GpuSide& gpu,
                                                         Precision precision, bool transposes,
                                                         std::int64_t size, unsigned seed);
std::unique_ptr<StreamCase<CopyKernel>> tuning_case_of(CopyKernels, GpuSide& gpu,
                                                       Precision precision, bool transposes,
                                                       std::int64_t size, unsigned seed);

}  // namespace duoblas

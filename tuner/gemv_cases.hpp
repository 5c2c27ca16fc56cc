// Operands of one gemv in the device's memory, on which its kernels are timed and verified.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/streams/gemv.hpp"
#include "tuner/measured_gemv.hpp"

namespace duoblas {

class GemvCase {
 public:
  /// For a matrix of size x size elements. \throws DeviceError if the device has no memory for it.
  GemvCase(GpuSide& gpu, Precision precision, bool transposes, std::int64_t size, unsigned seed);

  /// The bytes that a call moves through memory.
  double bytes() const { return traffic_bytes(measured_.problem()); }
  /// Enqueues a call and flushes. The caller holds the device's mutex. \throws DeviceError.
  cl::Event enqueue(const GemvKernel& kernel);
  /// Whether a call gives the right result. \throws DeviceError.
  bool is_right(const GemvKernel& kernel);

  OpenedDevice& device() const { return *device_; }

 private:
  const std::shared_ptr<OpenedDevice> device_;
  unsigned seed_;
  MeasuredGemv measured_;
  std::shared_ptr<const ResidentMatrix> a_;
  BoundOperand x_;
  GemvOperands operands_;
  GemvScratch scratch_;
};

}  // namespace duoblas

// Turns a device's description into the limits of kernels and products.
#pragma once

#include <cstddef>

#include "kernel_space/device_limits.hpp"
#include "opencl/device.hpp"

namespace duoblas {

/// `memory_limit`: the bytes of device memory that a product may use; 0: all. Properties that
/// OpenCL does not report are probed (device_probe.hpp).
DeviceLimits device_limits(const cl::DeviceInfo& info, std::size_t memory_limit);

}  // namespace duoblas

// From what a device says of itself to what kernels and products may use of it.
#pragma once

#include <cstddef>

#include "kernel_space/device_limits.hpp"
#include "opencl/device.hpp"

namespace duoblas {

/// `memory_limit`: bytes of the device that a product may use; 0: what there is. What OpenCL does
/// not speak of is probed (device_probe.hpp).
DeviceLimits device_limits(const cl::DeviceInfo& info, std::size_t memory_limit);

}  // namespace duoblas

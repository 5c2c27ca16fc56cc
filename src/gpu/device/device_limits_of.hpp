// Turns a device's description into the limits of kernels and products, and tries abilities that
// OpenCL does not report, once, when the device is opened.
#pragma once

#include <cstddef>
#include <string>

#include "kernel_space/device_limits.hpp"
#include "opencl/device.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// `memory_limit`: the bytes of device memory that a product may use; 0: all. Properties that
/// OpenCL does not report are probed (probe_device).
DeviceLimits device_limits(const cl::DeviceInfo& info, std::size_t memory_limit);

/// Fills in async_copies, fp64_matrix, tf32_matrix, wide_matrix, static_local_bytes and
/// shuffle_width. Only NVIDIA devices of compute capability 8.0 and up are probed. If a probe does
/// not build, does not run or gives a wrong result, the device does not have that ability.
void probe_device(const cl::Context& context, cl::Queue& queue, const std::string& cache_dir,
                  const std::string& kernel_dir, DeviceLimits& limits);

}  // namespace duoblas

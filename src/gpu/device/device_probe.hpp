// Abilities of a device that OpenCL does not report. Each is tried once, when the device is opened.
#pragma once

#include <string>

#include "kernel_space/device_limits.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// Fills in async_copies, fp64_matrix, tf32_matrix, wide_matrix, static_local_bytes and
/// shuffle_width. Only NVIDIA devices of compute capability 8.0 and up are probed. If a probe does
/// not build, does not run or gives a wrong result, the device does not have that ability.
void probe_device(const cl::Context& context, cl::Queue& queue, const std::string& cache_dir,
                  const std::string& kernel_dir, DeviceLimits& limits);

}  // namespace duoblas

// What a device can do that OpenCL does not say: tried once, when it is opened.
#pragma once

#include <string>

#include "kernel_space/device_limits.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// Fills in async_copies, fp64_matrix, tf32_matrix, wide_matrix, static_local_bytes and
/// shuffle_width. Nothing is tried on devices other than NVIDIA's of compute capability 8.0 and up;
/// a probe that does not build, run or compute what it should leaves the device without that
/// capability.
void probe_device(const cl::Context& context, cl::Queue& queue, const std::string& cache_dir,
                  const std::string& kernel_dir, DeviceLimits& limits);

}  // namespace duoblas

// The search for a kernel of gemv, along one axis after another.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

struct TimedGemv {
  GemvKernel kernel;
  double seconds = 0;
};

/// Seconds of a call; nothing if the kernel cannot be used.
using GemvTimer = std::function<std::optional<double>(const GemvKernel&)>;

/// Starts from `first`, which is timed even without time. Then each axis by steps of two, switches
/// also on and off, as long as calls get faster; again and again until no step of any axis helps,
/// or `has_time` ends. Each kernel is timed once. Returns all timed kernels, the fastest first.
/// Pure except for its arguments.
std::vector<TimedGemv> search_gemv_kernels(const GemvKernel& first, const DeviceLimits& device,
                                           Precision precision, bool transposes,
                                           const GemvTimer& timer,
                                           const std::function<bool()>& has_time);

}  // namespace duoblas

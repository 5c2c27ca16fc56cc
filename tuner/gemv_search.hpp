// The search for a kernel of gemv: along one axis after another.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

struct TimedGemvKernel {
  GemvKernel kernel;
  double seconds = 0;
};

/// Seconds of a call; nothing: the kernel cannot be used.
using GemvTimer = std::function<std::optional<double>(const GemvKernel&)>;

/// From `first`, which is timed whatever time there is: each axis (vector width, the shape of a
/// work-group, lines, unrolling; sizes compiled in and A as an image, on and off) by steps of two
/// as long as calls get faster, again and again until no step of any axis does, or `has_time` ends.
/// Each kernel is timed once. On CPU devices a work-group has one work-item. All that were timed,
/// the fastest first. Pure but for what it is given.
std::vector<TimedGemvKernel> search_gemv_kernels(const GemvKernel& first,
                                                 const DeviceLimits& device, Precision precision,
                                                 bool transposes, const GemvTimer& timer,
                                                 const std::function<bool()>& has_time);

}  // namespace duoblas

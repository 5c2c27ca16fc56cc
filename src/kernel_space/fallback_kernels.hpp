// Kernels to try after the device's driver has refused one.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// A few legal kernels. The first is nearest to `refused`; the last asks least of a driver.
std::vector<KernelParams> fallback_kernels(const KernelParams& refused, Precision precision,
                                           const DeviceLimits& limits);

}  // namespace duoblas

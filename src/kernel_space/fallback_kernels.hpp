// What takes the place of a kernel that the device's driver refuses.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Few and legal, from what is nearest to `refused` to what asks the least of a driver.
std::vector<KernelParams> fallback_kernels(const KernelParams& refused, Precision precision,
                                           const DeviceLimits& limits);

}  // namespace duoblas

// A kernel for tests of devices with little memory, whatever the device's default is.
#pragma once

#include "kernel_space/fallback_kernels.hpp"
#include "kernel_space/kernel_defaults.hpp"

namespace duoblas::test {

/// A CPU device's default kernel; of a GPU the one that asks least, since its default's tiles are
/// large.
inline KernelParams kernel_of_small_tiles(Precision precision, const DeviceLimits& limits) {
  const KernelParams usual = default_kernel(precision, limits);
  return limits.is_cpu ? usual : fallback_kernels(usual, precision, limits).back();
}

}  // namespace duoblas::test

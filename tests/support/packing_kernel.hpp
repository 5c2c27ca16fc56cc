// A kernel for tests of packed operands, or of operands in place, whatever the device's default is.
#pragma once

#include <stdexcept>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas::test {

/// The device's default kernel with these operands packed and no others; where there is no such
/// kernel, the best of the other built-in ones: as a real product a complex one packs both.
inline KernelParams packing_kernel(Precision precision, const DeviceLimits& limits, bool packs_a,
                                   bool packs_b) {
  for (KernelParams kernel : kernel_candidates(precision, Op::none, Op::none, limits)) {
    kernel.pack_a = packs_a;
    kernel.pack_b = packs_b;
    if (violated_rule(kernel, precision, limits) == nullptr) return kernel;
  }
  throw std::runtime_error("no built-in kernel packs so");
}

}  // namespace duoblas::test

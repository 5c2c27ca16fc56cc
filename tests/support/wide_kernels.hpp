// The built-in kernels whose instructions take 128 work-items (MathMode::tf32x3).
#pragma once

#include "kernel_space/built_in_kernels.hpp"

namespace duoblas {

/// In large tiles, and in narrower ones.
inline KernelParams wide_tf32x3(Precision precision = Precision::s) {
  return built_in_kernels(KernelUse::tf32x3_wide, precision).front().kernel;
}
inline KernelParams narrow_wide_tf32x3(Precision precision = Precision::s) {
  return built_in_kernels(KernelUse::tf32x3_wide, precision).back().kernel;
}

}  // namespace duoblas

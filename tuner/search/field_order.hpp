// In which order the fields of a kernel are looked at.
#pragma once

#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// Indices of kernel_fields(), each once: those first that a family's speed depends on most. The
/// order is experience with PoCL on Xeon and EPYC (panel) and with NVIDIA GPUs (tiled;
/// docs/measurements.md).
std::vector<int> fields_by_importance(KernelFamily family);

}  // namespace duoblas

// Chooses which of many kernels are worth trying together with the CPU side.
#pragma once

#include <cstddef>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

struct RankedKernel {
  const KernelParams* kernel;
  double seconds = 0;
};

/// Indices of at most `size` of the ranked kernels. The fastest is first; then the fastest of each
/// other use of memory (packing, blocks), because the CPU side competes for memory; then by speed.
/// None is slower than 1.5 times the fastest.
std::vector<std::size_t> diverse_places(const std::vector<RankedKernel>& ranked, std::size_t size);

}  // namespace duoblas

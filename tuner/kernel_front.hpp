// Which of many kernels are worth a look together with the CPU side.
#pragma once

#include <cstddef>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

struct RankedKernel {
  const KernelParams* kernel;
  double seconds = 0;
};

/// Indices of at most `size` of the ranked kernels, the fastest first: then the fastest of each
/// other way to use memory (packing, blocks), because that is what the CPU side competes for, then
/// by speed. None slower than 1.5 times the fastest.
std::vector<std::size_t> diverse_places(const std::vector<RankedKernel>& ranked, std::size_t size);

}  // namespace duoblas

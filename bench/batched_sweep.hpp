// Which kernel is fastest for one batch: a grid of points, then the neighbours of the best.
#pragma once

#include <vector>

#include "bench/batch_peers.hpp"

namespace duoblas {

struct SweptKernel {
  double seconds = 0;
  KernelParams kernel;
};

/// Times the kernels that the device takes, and prints each as it comes; fastest first.
/// `budget`: no kernel is begun after so many seconds.
std::vector<SweptKernel> ranked_kernels(OwnBatch& own, const SquareBatch& batch,
                                        const std::vector<KernelParams>& kernels,
                                        const DeviceLimits& limits, double budget);

/// The grid of batched_candidates(), then twice the kernels that differ from one of the best in one
/// field; each half of the budget.
std::vector<SweptKernel> swept_kernels(OwnBatch& own, const SquareBatch& batch,
                                       const DeviceLimits& limits, double budget);

}  // namespace duoblas

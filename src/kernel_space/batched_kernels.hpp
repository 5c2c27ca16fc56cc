// Kernels for many products of one shape in a launch, where what is best for one large product is
// not: tiles as small as the matrices, few slices of k, nothing packed.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The kernel for batches of this shape: of the rows for its size the first that is legal on the
/// device. Of `shape` type, ops and sizes count.
KernelParams batched_kernel(const GemmProblem& shape, const DeviceLimits& limits);

/// A sensible grid around those for products of n x n x n: what bench_batched --sweep tries. All
/// are legal on the device.
std::vector<KernelParams> batched_candidates(Precision precision, int n,
                                             const DeviceLimits& limits);

}  // namespace duoblas

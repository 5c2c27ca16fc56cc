// Kernels that compute many products of one shape in a launch. What is best for one large product
// is not best there: tiles are as small as the matrices, there are few slices of k, nothing is
// packed.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The kernel for batches of this shape: the first of the table's rows for its size that is legal
/// on the device. Of `shape` only type, ops and sizes are used.
KernelParams batched_kernel(const GemmProblem& shape, const DeviceLimits& limits);

/// A grid of kernels around that one, for products of n x n x n: for tests. All are legal
/// on the device.
std::vector<KernelParams> batched_candidates(Precision precision, int n,
                                             const DeviceLimits& limits);

}  // namespace duoblas

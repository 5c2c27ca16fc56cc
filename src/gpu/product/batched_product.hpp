// Many products of one shape on operands that the device can reach: one launch computes many of
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "gpu/product/product.hpp"
#include "memory/operand_memory.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The operand of the first product, and the distance to the next one's, in elements.
struct BatchedOperand {
  BoundOperand first;
  std::int64_t stride = 0;
  /// Whether the rows of every product start at multiples of 16 bytes in the device's address
  /// space.
  bool aligned = false;
};

struct BatchedOperands {
  BatchedOperand a, b, c;
  /// For each product three 64-bit offsets, of A, B and C, which are added to their places. Null:
  /// only equal distances.
  std::shared_ptr<const cl::Buffer> places;
};

/// Enqueues `count` products of this shape and flushes; the event is that of the last launch. Uses
/// the sizes, ops and scalars of `shape`; m, n, k, count >= 1. Each launch computes as many
/// products as the bound on launches and the memory for packed operands allow. The arithmetic is
/// exact. The caller holds the device's mutex. \throws DeviceError; earlier commands may still be
/// running then.
cl::Event submit_batched(OpenedDevice& device, const GemmProblem& shape, std::int64_t count,
                         const KernelParams& kernel, const BatchedOperands& operands,
                         ProductScratch& scratch);

/// The kernel with only the parameters that batches support: no split k, no images, no replacement
/// for floats.
KernelParams without_what_batches_lack(KernelParams kernel, Precision precision,
                                       const DeviceLimits& limits);

/// Like run_alone() of product.hpp. \throws DeviceError.
void run_batch_alone(const TargetDevice& device, cl::Queue& queue, const GemmProblem& shape,
                     std::int64_t count, const KernelVariant& variant, BuiltProgram& built,
                     const BatchedOperands& operands);

}  // namespace duoblas

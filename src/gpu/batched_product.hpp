// Many products of one shape on operands that the device can reach: one launch for many of them.
// Host memory is none of its business (batch_job.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/kernel_source.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "memory/operand_memory.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The first product's operand, and how far it is to the next one's, in elements.
struct BatchedOperand {
  BoundOperand first;
  std::int64_t stride = 0;
  /// Whether every product's rows start at multiples of 16 bytes, in the device's address space.
  bool aligned = false;
};

struct BatchedOperands {
  BatchedOperand a, b, c;
  /// Three offsets of 64 bits for each product, of A, B and C, that are added to their places.
  /// Null: equal distances are all.
  std::shared_ptr<const cl::Buffer> places;
};

/// Enqueues `count` products of this shape and flushes; the event is of the last launch. Of `shape`
/// the sizes, ops and scalars count; m, n, k, count >= 1. Each launch has as many products as the
/// bound on launches and memory for packed operands leave. The arithmetic is exact. The caller
/// holds the device's mutex. \throws DeviceError; whatever was enqueued before may still be
/// running.
cl::Event submit_batched(OpenedDevice& device, const GemmProblem& shape, std::int64_t count,
                         const KernelParams& kernel, const BatchedOperands& operands,
                         ProductScratch& scratch);

/// What of a kernel batches can use: no parts of k, no images, and none that replaces floats.
KernelParams without_what_batches_lack(KernelParams kernel, const DeviceLimits& limits);

/// The variants that groups of this shape may ask for, `copied` to the device or where they are.
std::vector<KernelVariant> batched_variants_for(const OpenedDevice& device,
                                                const GemmProblem& shape,
                                                const KernelParams& kernel, bool copied);

/// Bytes of packed operands that submit_batched has on the device at a time.
struct PackedBytes {
  std::size_t a = 0, b = 0;
};
PackedBytes packed_bytes(const OpenedDevice& device, const GemmProblem& shape, std::int64_t count,
                         const KernelParams& kernel);

/// As run_alone() of product.hpp. \throws DeviceError.
void run_batch_alone(const OpenedDevice& device, cl::Queue& queue, const GemmProblem& shape,
                     std::int64_t count, const KernelVariant& variant, BuiltKernels& built,
                     const BatchedOperands& operands);

}  // namespace duoblas

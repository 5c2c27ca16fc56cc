// One gemv on operands that the device can reach.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/streams/gemv_variant.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "memory/bound_operand.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

struct GemvOperands {
  BoundOperand a;
  BoundVector x, y;
  /// Rows of A start at multiples of a vector's bytes, and so does a dense x.
  bool aligned = false;
  /// A program with compiled-in sizes may be built now; otherwise it is used only if it is ready.
  bool may_build_sizes = true;
};

/// Everything that a running gemv needs to stay alive. submit_gemv() replaces its contents.
struct GemvScratch {
  std::shared_ptr<const cl::Buffer> sums, dense_x, tickets;
  cl::Image image;  ///< of A
  EarlierKernels earlier;
};

/// Bytes of device memory that a call takes beside its operands.
struct GemvNeeds {
  std::size_t sums = 0, dense_x = 0;
  std::size_t tickets = 0;  ///< zeros
};
GemvNeeds gemv_needs(const TargetDevice& device, const GemvProblem& problem,
                     const GemvKernel& kernel);

/// Whether rows of A start at multiples of a vector's bytes in the device's address space.
bool starts_vectors_aligned(const BoundOperand& a, const GemvProblem& problem,
                            const GemvKernel& kernel);

/// Enqueues everything and flushes; the event is that of the last kernel. Uses the sizes, scalars
/// and increments of `problem`, not its pointers. \pre not empty, not only_scales_y, sizes up to
/// most_routine_extent. The caller holds the device's mutex. \throws DeviceError; earlier commands
/// may still be running then.
cl::Event submit_gemv(OpenedDevice& device, const GemvProblem& problem, const GemvKernel& kernel,
                      const GemvOperands& operands, GemvScratch& scratch);

/// The programs that submit_gemv may ask for, wherever rows of A start; those with compiled-in
/// sizes are for the whole problem.
std::vector<TriedProgram> gemv_programs(const OpenedDevice& device, const GemvProblem& problem,
                                        const GemvKernel& kernel);

/// Tries the program on small operands of its own. Returns what is wrong; empty: nothing. \throws
/// DeviceError.
std::string what_is_wrong(const TargetDevice& device, const GemvProblem& problem,
                          const GemvVariant& variant, BuiltProgram& built, std::uint64_t seed);

/// Enqueues the kernels of a built program on any queue; otherwise like submit_gemv. \pre `scratch`
/// has the bytes of gemv_needs(), and the image if the variant reads one.
cl::Event enqueue_gemv(const TargetDevice& device, cl::Queue& queue, const GemvProblem& problem,
                       const GemvVariant& variant, BuiltProgram& built,
                       const GemvOperands& operands, GemvScratch& scratch);

}  // namespace duoblas

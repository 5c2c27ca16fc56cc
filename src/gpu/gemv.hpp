// One gemv on operands that the device can reach. Host memory is none of its business
// (gemv_job.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gemv_variant.hpp"
#include "gpu/opened_device.hpp"
#include "gpu/product.hpp"
#include "gpu/routine_kernels.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "memory/bound_operand.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

struct GemvOperands {
  BoundOperand a;
  BoundVector x, y;
  /// Rows of A start at multiples of a vector's bytes, and so does a dense x.
  bool aligned = false;
  /// A program that has the sizes compiled in may be built now; else it is used where it is ready.
  bool may_build_sizes = true;
};

/// What a gemv on its way keeps alive: submit_gemv() sets it, whatever was in it.
struct GemvScratch {
  std::shared_ptr<const cl::Buffer> sums, dense_x, tickets;
  cl::Image image;  ///< of A
  EarlierKernels earlier;
};

/// Bytes of the device's memory that a call takes beside its operands.
struct GemvNeeds {
  std::size_t sums = 0, dense_x = 0;
  std::size_t tickets = 0;  ///< of zeros
};
GemvNeeds gemv_needs(const OpenedDevice& device, const GemvProblem& problem,
                     const GemvKernel& kernel);

/// Whether rows of A, in the device's address space, start at multiples of a vector's bytes.
bool starts_vectors_aligned(const BoundOperand& a, const GemvProblem& problem,
                            const GemvKernel& kernel);

/// Enqueues everything and flushes; the event is of the last kernel. Of `problem` the sizes,
/// scalars and increments count, not its pointers. \pre not empty, not only_scales_y, sizes up to
/// most_routine_extent. The caller holds the device's mutex. \throws DeviceError; whatever was
/// enqueued before may still be running.
cl::Event submit_gemv(OpenedDevice& device, const GemvProblem& problem, const GemvKernel& kernel,
                      const GemvOperands& operands, GemvScratch& scratch);

/// Those that submit_gemv may ask for, wherever rows of A start; with sizes compiled in, of the
/// whole problem.
std::vector<TriedProgram> gemv_programs(const OpenedDevice& device, const GemvProblem& problem,
                                        const GemvKernel& kernel);

/// What the program computes wrong, on small operands of its own; empty: nothing. \throws
/// DeviceError.
std::string what_is_wrong(const OpenedDevice& device, const GemvProblem& problem,
                          const GemvVariant& variant, BuiltRoutine& built, std::uint64_t seed);

/// Enqueues the kernels of a program that is built, on any queue; as submit_gemv otherwise. \pre
/// `scratch` has what gemv_needs() says, and the image of a variant that reads one.
cl::Event enqueue_gemv(const OpenedDevice& device, cl::Queue& queue, const GemvProblem& problem,
                       const GemvVariant& variant, BuiltRoutine& built,
                       const GemvOperands& operands, GemvScratch& scratch);

}  // namespace duoblas

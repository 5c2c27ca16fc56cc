// One product on operands that the device can reach: packing, the product itself, the reduction of
// a split k. gpu_side.hpp deals with host memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/earlier_kernels.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_source.hpp"
#include "memory/operand_memory.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

struct ProductOperands {
  BoundOperand a, b, c;
  /// Whether rows start at multiples of 16 bytes in the device's address space.
  bool aligned_a = false, aligned_b = false;
  /// Whether the operand is a result of pack_ahead.
  bool packed_a = false, packed_b = false;
};

/// Everything that a running product needs to stay alive.
struct ProductScratch {
  std::shared_ptr<const cl::Buffer> packed_a, packed_b, partial, flag;
  cl::Image image_a, image_b;
  /// Kernels before the last one, such as those that pack.
  EarlierKernels earlier;
  /// Whether somebody waits for the product's end. If not, its kernels have no events.
  bool asked_for = true;
  /// Whether its last kernel is flushed at once. If not, whoever asked flushes before anybody
  /// waits.
  bool flushes = true;
  /// Whether a kernel with split_last may take memory for parts of its last tiles. (Jobs know the
  /// memory of their blocks without it.)
  bool splits_last_tiles = false;
  /// Set when a kernel that writes to C has been enqueued. Whoever asks resets it before.
  bool writes_c = false;

  void release() { *this = {}; }
};

/// Enqueues everything, and flushes unless `scratch` says no; the event is of the last kernel, or
/// empty where nobody asks. Of `problem` the sizes, ops and scalars count, not its pointers; m, n,
/// k >= 1. The caller holds the device's mutex. \throws DeviceError; whatever was enqueued before
/// may still be running.
cl::Event submit_product(OpenedDevice& device, const GemmProblem& problem,
                         const KernelParams& kernel, const ProductOperands& operands,
                         ProductScratch& scratch);

/// Which operands pack_ahead packs for this kernel. (None for an opt-in arithmetic: packing marks
/// the ticket of one product, and the exact kernel behind it reads the operands as they are. None
/// by integers, whose phases read them.)
Packing packs_ahead(const GemmProblem& problem, const KernelParams& kernel);

/// Packs A or B once for several products that share it. \pre packs_ahead. Flushes; the caller
/// holds the device's mutex. \throws DeviceError.
enum class PackedFactor { a, b };
cl::Event pack_ahead(OpenedDevice& device, const GemmProblem& problem, const KernelParams& kernel,
                     PackedFactor which, const BoundOperand& from,
                     const std::shared_ptr<const cl::Buffer>& packed);

/// Whether the rows of an operand that begins at `host` start at multiples of 16 bytes in the
/// device's address space.
bool starts_rows_aligned(const BoundOperand& bound, const void* host);

/// How the rows lie that a kernel reads in place. \pre the operands are aligned.
Rows rows_of(const GemmProblem& problem, const KernelParams& kernel);

/// Adds the product, unless one of the list has the same ops and rows: one for each kernel that a
/// call uses.
void add_if_other_kernel(std::vector<GemmProblem>& products, const GemmProblem& product,
                         const KernelParams& kernel);

/// The variants that products of this part may ask for, however its operands arrive; also those for
/// its blocks, except variants with compiled-in sizes.
std::vector<KernelVariant> variants_for(const OpenedDevice& device, const GemmProblem& part,
                                        const KernelParams& kernel, SharingMode operands);

/// Runs the variant's kernels on a queue of their own, ignoring the guard, and waits for them. Uses
/// the sizes, ops and scalars of `problem`. Needs no mutex. False: nothing ran, because the variant
/// reads an operand in place as an image, and the driver makes none. \throws DeviceError.
bool run_alone(const TargetDevice& device, cl::Queue& queue, const GemmProblem& problem,
               const KernelVariant& variant, BuiltProgram& built, const ProductOperands& operands);

/// Implements GpuSide::launchable.
std::optional<KernelParams> launchable(const OpenedDevice& device, const KernelParams& wanted,
                                       Precision precision);

/// Builds the kernels that submit_product will ask for. \throws DeviceError.
void prepare_product(OpenedDevice& device, const KernelParams& kernel, Precision precision, Op op_a,
                     Op op_b, Rows rows);

}  // namespace duoblas

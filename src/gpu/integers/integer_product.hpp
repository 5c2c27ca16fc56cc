// A product of doubles, or of complex ones, by integers, for a device without doubles: phases of
// kernels, block by block (docs/design/integers.md).
//
//   measure A, B ─> bound ─> certify ─> (residues A, B ─> multiply)... ─> store
//
// Everything is enqueued at once. An element that is not certified marks `state`; the kernels that
// follow return at once then, and C, which earlier blocks may have changed by then, must not be
// used.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gpu/device/device_scratch.hpp"
#include "gpu/device/earlier_kernels.hpp"
#include "gpu/kernels/program_text.hpp"
#include "gpu/kernels/target_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// What a running product needs to stay alive.
struct IntegerScratch {
  std::shared_ptr<const cl::Buffer> a, b, products, state;
  EarlierKernels earlier;
  std::vector<std::string_view> phases;  ///< kernels in their order: of the events of `earlier`
                                         ///< behind the first, which fills, and of the last one
};

/// Enqueues and flushes; the event is of the last kernel. `left`: with the memory that is left. Of
/// `problem` the sizes, ops and scalars count; m, n, k >= 1. \throws DeviceError; UnsuitedNumbers
/// for scalars that are not finite.
cl::Event submit_integers(const TargetDevice& device, cl::Queue& queue, DeviceScratch& shared,
                          const DeviceLimits& left, BuiltProgram& built, const GemmProblem& problem,
                          const BoundInputs& inputs, const BoundOperand& c,
                          IntegerScratch& scratch);

/// Once it has ended, by a read from the device. \throws UnsuitedNumbers if an element is not
/// certified.
void require_certified(cl::Queue& queue, const IntegerScratch& scratch);

}  // namespace duoblas

// How a product's operands travel. A job decides that once, when it starts.
//
//   at once    what is not in place is copied by the device's driver, one command each
//   in blocks  everything is in place; only so much of C's old values is kept at a time, and by
//              integers a block is certified before the device writes it
//   streamed   block by block through the rings of the pipeline, C among them
#pragma once

#include <optional>

#include "gpu/integers/integer_blocks.hpp"
#include "gpu/product/gpu_job.hpp"
#include "kernel_space/device_blocks.hpp"
#include "memory/operand_memory.hpp"

namespace duoblas {

struct OperandRoute {
  enum class Way { at_once, in_blocks, streamed };
  Way way = Way::at_once;
  ResidentOperands resident;
  BoundInputs inputs;                     ///< in place; those without a buffer are copied
  std::optional<BoundResult> result;      ///< in place
  DeviceBlocks blocks;                    ///< unless at once
  DeviceBytes bytes;                      ///< at once
  std::optional<IntegerBlocks> integers;  ///< by integers: what `blocks` are divided into, or are
};

/// Binds what is in place. The caller holds the device's mutex. \throws DeviceError.
OperandRoute route_of(OpenedDevice& device, const GemmProblem& part, const KernelParams& kernel,
                      const Sharing& sharing);

/// Whether so much of a product is copied that the pipeline pays.
bool streaming_pays(const GemmProblem& part, Staged staged);

}  // namespace duoblas

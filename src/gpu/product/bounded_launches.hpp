// One product as several launches, none of which is estimated to take longer than the bound.
#pragma once

#include <functional>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/product/workbench.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/handles.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The operands as the kernel `gemm` takes them: packed if it packs.
struct LaunchOperands {
  BoundOperand a, b, c;
};

/// Launches the product of a part of C, and flushes.
using LaunchPart = std::function<cl::Event(const GemmProblem&, const LaunchOperands&)>;

/// The event is that of the last launch, and fails if any of them does. `may_wait`: for the device.
/// If so, and the rate of a kernel is unknown, its first launches are small and waited for, until
/// one took long enough to show the rate. Otherwise a guess is used. \pre `bench` has a pace.
/// \throws DeviceError; earlier launches may still be running then.
cl::Event submit_bounded(const Workbench& bench, bool may_wait, const GemmProblem& problem,
                         const KernelVariant& variant, const LaunchOperands& operands,
                         const LaunchPart& launch_part);

}  // namespace duoblas

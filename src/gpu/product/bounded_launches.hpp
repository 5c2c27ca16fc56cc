// One product as several launches, none of which is estimated to take longer than the bound.
#pragma once

#include <functional>

#include "gpu/device/launch_bound.hpp"
#include "gpu/kernels/kernel_source.hpp"
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

struct BoundedLaunches {
  cl::Queue& queue;
  LaunchPace& pace;
  int compute_units = 1;
  /// Whether the device may be waited for. If so, and the rate of a kernel is unknown, its first
  /// launches are small and waited for, until one took long enough to show the rate. Otherwise a
  /// guess is used.
  bool may_wait = true;
};

/// The event is that of the last launch, and fails if any of them does. \throws DeviceError;
/// earlier launches may still be running then.
cl::Event submit_bounded(const BoundedLaunches& how, const GemmProblem& problem,
                         const KernelVariant& variant, const LaunchOperands& operands,
                         const LaunchPart& launch_part);

}  // namespace duoblas

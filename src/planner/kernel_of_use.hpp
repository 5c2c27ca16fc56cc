// The kernel of products that are no whole calls: in the device's memory, or in a matrix that the
// device holds during a call of LAPACK.
#pragma once

#include "kernel_space/built_in_kernels.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// The profile's kernel for this use. If it has none: `planned`, which is for whole calls, or the
/// built-in kernel of the use, where a row of facts/kernels.txt says that it is better.
KernelParams kernel_of_use(KernelUse use, const KernelParams& planned, const GemmProblem& problem,
                           const PlanMachine& machine);

}  // namespace duoblas

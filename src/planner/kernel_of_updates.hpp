// The kernel of products in a matrix that the device holds during a call of LAPACK.
#pragma once

#include "planner/planner.hpp"

namespace duoblas {

/// Instead of the one that was planned for `problem`, a product of as many flops as the call.
KernelParams kernel_of_updates(const KernelParams& planned, const GemmProblem& problem,
                               const PlanMachine& machine);
/// Instead of that one, where its tiles of the result of `update` are fewer than the device's
/// units.
KernelParams kernel_of_narrow_updates(const KernelParams& planned, const GemmProblem& update,
                                      const PlanMachine& machine);

}  // namespace duoblas

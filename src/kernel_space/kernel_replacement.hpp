// Where the built-in kernel of a use is better than the one that a profile or a plan has for whole
// calls, and none of its own for this use.
#pragma once

#include <optional>
#include <string_view>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/device_limits.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

struct KernelReplacement {
  KernelUse use = KernelUse::resident;  ///< or update, narrow_update
  KernelParams planned;
  bool is_tuned_here = false;  ///< `planned` is of a profile of this very machine
  KernelParams built_in;       ///< built_in_kernel() of the use
};

/// The number that a condition is about: "planned matrix", "tiles_of_unit" ... Nothing: no
/// condition is about that.
std::optional<double> number_for(std::string_view name, const KernelReplacement& replacement,
                                 const GemmProblem& problem, const DeviceLimits& limits);

/// The row of facts/kernels.txt that says so. Null: `planned` is taken.
const BuiltInRow* row_for(const KernelReplacement& replacement, const GemmProblem& problem,
                          const DeviceLimits& limits);

}  // namespace duoblas

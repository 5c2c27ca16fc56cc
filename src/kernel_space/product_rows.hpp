// What a row of built-in kernels asks of a product and its device.
#pragma once

#include <optional>
#include <string_view>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/device_limits.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The number that a condition is about: "k", "size" ... Nothing: no condition is about that.
std::optional<double> number_for(std::string_view name, const GemmProblem& problem,
                                 const DeviceLimits& limits);

/// Whether packing saves more than it takes: a number of A is multiplied n times, one of B m times.
bool pays_packing(const BuiltInRow& row, const GemmProblem& problem);

/// Both, for the whole row.
bool meets(const GemmProblem& problem, const DeviceLimits& limits, const BuiltInRow& row);

}  // namespace duoblas

// duoblas kernel --defaults: the built-in kernels, which of them a device takes, and why.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_space/device_limits.hpp"
#include "planner/planner.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas::cli {

struct KernelTableRow {
  std::string use;     ///< "whole", "batch" ...
  std::string when;    ///< the row's conditions as they are written; empty: there are none
  std::string kernel;  ///< in one line
  std::string from;    ///< the device, day and program that found it
  bool is_taken = false;
  std::string why;  ///< it is taken, or is not
};

/// The rows for the device's kind and the product's type, in the table's order, without those where
/// tuning starts. Taken are those that this product, or a batch of such ones, would get in each of
/// the uses. `here`: this machine, if the device is its own; its profile has the planned kernels.
std::vector<KernelTableRow> kernel_table(const GemmProblem& product, const DeviceLimits& limits,
                                         const PlanMachine* here = nullptr);

std::vector<std::string> lines_of(const std::vector<KernelTableRow>& table);
nlohmann::json json_of(const std::vector<KernelTableRow>& table);

}  // namespace duoblas::cli

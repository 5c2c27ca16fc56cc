// The table of the kernel parameters: it drives -D flags, JSON, the search space and the
// documentation.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// One row of the table.
struct KernelField {
  using Member = std::variant<int KernelParams::*, bool KernelParams::*,
                              KernelFamily KernelParams::*, MultiplyAdd KernelParams::*,
                              Assignment KernelParams::*, LaneOrder KernelParams::*,
                              MaddOrder KernelParams::*, MatrixUnit KernelParams::*>;

  std::string_view name;   ///< in JSON and in output
  std::string_view macro;  ///< the -D flag's name; empty: the launch's business alone
  Member member;
  std::span<const int> values;  ///< the legal values, ascending
  std::string_view meaning;

  int get(const KernelParams& params) const;
  void set(KernelParams& params, int value) const;
  bool is_legal(int value) const;
};

std::span<const KernelField> kernel_fields();

}  // namespace duoblas

// Which points of the kernel space are legal: named rules, asked before anything is compiled.
#pragma once

#include <span>
#include <string_view>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// A condition that every kernel meets. A static rule depends on the parameters alone.
struct KernelRule {
  std::string_view name;
  std::string_view reason;
  bool is_static;
  bool (*holds)(const KernelParams&, Precision, const DeviceLimits&);
};

std::span<const KernelRule> kernel_rules();

/// The first rule that is broken; nullptr: the kernel is legal on this device.
const KernelRule* violated_rule(const KernelParams& params, Precision precision,
                                const DeviceLimits& limits);
inline bool is_legal(const KernelParams& params, Precision precision, const DeviceLimits& limits) {
  return violated_rule(params, precision, limits) == nullptr;
}
/// The same over the rules that need neither the element type nor a device.
const KernelRule* violated_static_rule(const KernelParams& params);

}  // namespace duoblas

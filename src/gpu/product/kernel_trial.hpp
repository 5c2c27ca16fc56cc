// Runs a variant's kernels by themselves, before products use them.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/kernels/kernel_cache.hpp"

namespace duoblas {

/// Runs the kernels on small matrices and a queue of their own, because drivers load code, and PoCL
/// compiles it, when a kernel is first launched. Needs no mutex. \throws DeviceError.
void warm_up(const TargetDevice& device, const KernelVariant& variant, BuiltProgram& built);

/// Computes the covering products (covering_products.hpp) with random numbers and compares every
/// element with its bound. If sizes are compiled in and large, it checks rows by a random vector
/// instead (check/product_check.hpp). Returns what is wrong, in words; empty: nothing. Needs no
/// mutex. \throws DeviceError if the device fails; std::bad_alloc.
std::string what_is_wrong(const TargetDevice& device, const KernelVariant& variant,
                          BuiltProgram& built, std::uint64_t seed);

/// Both, for who opens a device.
inline constexpr ProductTrials product_trials{warm_up, what_is_wrong};

}  // namespace duoblas

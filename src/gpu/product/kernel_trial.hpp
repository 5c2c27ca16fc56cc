// Runs a variant's kernels by themselves, before products use them.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

/// Runs the kernels on small matrices and a queue of their own, because drivers load code, and PoCL
/// compiles it, when a kernel is first launched. Needs no mutex. \throws DeviceError.
void warm_up(const OpenedDevice& device, const KernelVariant& variant, BuiltKernels& built);

/// Computes the covering products (covering_products.hpp) with random numbers and compares every
/// element with its bound. If sizes are compiled in and large, it checks rows by a random vector
/// instead (check/product_check.hpp). Returns what is wrong, in words; empty: nothing. Needs no
/// mutex. \throws DeviceError if the device fails; std::bad_alloc.
std::string what_is_wrong(const OpenedDevice& device, const KernelVariant& variant,
                          BuiltKernels& built, std::uint64_t seed);

}  // namespace duoblas

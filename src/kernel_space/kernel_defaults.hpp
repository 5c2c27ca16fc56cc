// Kernels to use before anything was tuned, and the points that tuning starts from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// A good kernel for an untuned device; legal by every rule.
KernelParams default_kernel(Precision precision, const DeviceLimits& limits);

/// The same for products of this size.
KernelParams default_kernel(Precision precision, const DeviceLimits& limits, std::int64_t m,
                            std::int64_t n);

/// What takes a built-in kernel's place where rows of A or B start between multiples of 16 bytes
/// in the device's memory, if it is legal there; else the kernel itself.
KernelParams kernel_for_odd_rows(const KernelParams& even, Precision precision,
                                 const DeviceLimits& limits);

/// The exact kernel of floats that stands by for one of an opt-in arithmetic: nothing packed, so
/// that a call which does not need it loses next to nothing.
KernelParams exact_twin(const DeviceLimits& limits);

/// The kernel of MathMode::tf32x3; nothing where the device has no such instructions.
std::optional<KernelParams> tf32x3_kernel(const DeviceLimits& limits);
/// That of products of this size: a wide one where it exists and pays.
std::optional<KernelParams> tf32x3_kernel(const DeviceLimits& limits, std::int64_t m,
                                          std::int64_t n);

/// How many times the rounding errors of its type's own arithmetic a kernel's results may have.
double rounding_slack(const KernelParams& params);

/// A few dozen legal, diverse points, best guesses first; the first is default_kernel().
std::vector<KernelParams> kernel_candidates(Precision precision, Op op_a, Op op_b,
                                            const DeviceLimits& limits);

/// Rows (columns) of C that the kernel computes as a unit: a cut at a multiple wastes nothing.
std::int64_t row_tile(const KernelParams& params);
std::int64_t col_tile(const KernelParams& params);

/// Elements of a row of packed A, and of a column of packed B: whole slices of `tiled` kernels,
/// twice as many of `wide` ones, and of B where a complex product is computed as a real one.
std::int64_t packed_depth_a(const KernelParams& params, std::int64_t k);
std::int64_t packed_depth_b(const KernelParams& params, std::int64_t k);

}  // namespace duoblas

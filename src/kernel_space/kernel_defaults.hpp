// Kernels to use before anything was tuned, and the points that tuning starts from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// A good kernel for an untuned device; legal by every rule.
KernelParams default_kernel(Precision precision, const DeviceLimits& limits);

/// The same for products of this size.
KernelParams default_kernel(const GemmProblem& problem, const DeviceLimits& limits);

/// The same for a use. `call`, `update`, `narrow_update`: operands come over the bus, or a job has
/// many products with one kernel. Panels and blocks are as many lines as keep all units busy: of
/// tiles of 128 lines twice as many as of 64, so half as many panels, of which the first and the
/// last one overlap with nothing; and the products of 128 or 256 lines inside level 3 and LAPACK
/// leave half of the units idle. `resident`: all is in the device's memory, and k of the last tiles
/// may be split (last_tiles.hpp).
KernelParams built_in_kernel(KernelUse use, const GemmProblem& problem, const DeviceLimits& limits);

/// The same without that.
KernelParams with_whole_tiles(KernelParams kernel);

/// The same without that where no tile of such a product would be split.
KernelParams split_where_it_pays(const KernelParams& kernel, const GemmProblem& problem,
                                 const DeviceLimits& limits);

/// The kernel to use instead of a built-in one if rows of A or B do not start at multiples of 16
/// bytes in the device's memory. `even` itself if that kernel is not legal there.
KernelParams kernel_for_odd_rows(const KernelParams& even, const GemmProblem& problem,
                                 const DeviceLimits& limits);

/// The same for a product that is large enough for packing both operands to pay. Nothing if it is
/// not, or if there is no such kernel for `even`.
std::optional<KernelParams> packed_kernel_for_odd_rows(const KernelParams& even,
                                                       const GemmProblem& problem,
                                                       const DeviceLimits& limits);

/// The kernel of a product in the device's memory: `even` where rows of A and B start at multiples
/// of 16 bytes (`are_aligned`). Else a kernel that packs both, if it pays and `has_room(kernel)`,
/// or one for odd rows. Last tiles are whole where there is no room for their parts.
template <class HasRoom>
KernelParams kernel_for_rows(const KernelParams& even, const GemmProblem& p, bool are_aligned,
                             const DeviceLimits& limits, const HasRoom& has_room) {
  const auto with_room = [&](const KernelParams& kernel) {
    const KernelParams splitting = split_where_it_pays(kernel, p, limits);
    return !splitting.split_last || has_room(splitting) ? splitting : with_whole_tiles(kernel);
  };
  if (are_aligned) return with_room(even);
  if (auto packed = packed_kernel_for_odd_rows(even, p, limits)) {
    *packed = with_room(*packed);
    if (has_room(*packed)) return *packed;
  }
  return with_room(kernel_for_odd_rows(even, p, limits));
}

/// The exact kernel that takes over when one of an opt-in arithmetic cannot be used. It packs
/// nothing, so a call that does not need it loses next to nothing.
KernelParams exact_twin(Precision precision, const DeviceLimits& limits);

/// The kernel of MathMode::tf32x3; nothing where the device has no such instructions, and for
/// doubles.
std::optional<KernelParams> tf32x3_kernel(Precision precision, const DeviceLimits& limits);
/// The same for this product: a wide kernel if the device has one and it pays. Nothing for short
/// sums, and for complex products that exact kernels are as fast at.
std::optional<KernelParams> tf32x3_kernel(const GemmProblem& problem, const DeviceLimits& limits);

/// The kernel of products of doubles on devices without doubles (gpu/integers).
KernelParams integers_kernel(const DeviceLimits& limits);
/// All that are built in and legal, best first; the last one asks for nothing but OpenCL.
std::vector<KernelParams> integers_kernels(const DeviceLimits& limits);

/// By what factor a kernel's rounding errors may exceed those of its type's own arithmetic.
double rounding_slack(const KernelParams& params);

/// A few dozen legal, diverse points, best guesses first; the first is default_kernel().
std::vector<KernelParams> kernel_candidates(Precision precision, Op op_a, Op op_b,
                                            const DeviceLimits& limits);

/// Rows (columns) of C that the kernel computes as a unit. A part of C that ends at a multiple
/// wastes nothing.
constexpr std::int64_t row_tile(const KernelParams& p) {
  return p.family == KernelFamily::panel ? p.tile_rows : p.tile_rows * p.group_rows;
}
constexpr std::int64_t col_tile(const KernelParams& p) {
  if (p.family == KernelFamily::panel) return p.tile_cols;
  return p.tile_cols * p.group_cols / (p.as_real ? 2 : 1);
}

/// Elements of a row of packed A, and of a column of packed B. `tiled` kernels pack whole slices.
/// `wide` kernels pack twice as many, and so does B of a complex product that is computed as a real
/// one.
std::int64_t packed_depth_a(const KernelParams& params, std::int64_t k);
std::int64_t packed_depth_b(const KernelParams& params, std::int64_t k);

}  // namespace duoblas

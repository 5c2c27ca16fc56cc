// The memory of a level-3 job: what it needs on the device, and what of the caller's the device
// uses in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gpu/device/opened_device.hpp"
#include "gpu/level3/level3_program.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/operand_memory.hpp"
#include "memory/registered_memory.hpp"
#include "problem/gemm_problem.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Rows and columns of a matrix of the device's own; none: the routine has no use for it.
StoredShape device_shape(const Level3Problem& problem, Level3Matrix matrix, const BlockSizes& sizes,
                         MatricesInPlace in_place = {});

/// Rows of `inverses` where the device computes them: behind them the leaves, of which the last one
/// is completed, and what the kernel tells.
struct LeafRows {
  std::int64_t leaves, sums, all;
};
LeafRows leaf_rows(const Level3Problem& problem, const BlockSizes& sizes);

/// Bytes between the rows of a matrix on the device.
std::size_t pitch_of(const Level3Problem& problem, StoredShape shape);

std::size_t bytes_on_device(const Level3Problem& problem, Level3Matrix matrix,
                            const BlockSizes& sizes, MatricesInPlace in_place);

/// The bytes of all lines that a job by block columns has apart (lines_apart.hpp), each rectangle
/// in whole pages.
std::size_t bytes_apart(const std::vector<DeviceStep>& program, Precision precision);
/// For the whole call. Nothing if a size exceeds what kernels, a buffer, an image or the transfer
/// back may have, or the memory is not there.
std::optional<DeviceBytes> device_bytes(const Level3Problem& problem, const KernelParams& kernel,
                                        const BlockSizes& sizes, const DeviceLimits& limits,
                                        MatricesInPlace in_place = {});

/// Every product of syrk and herk is by lines of A that others are by, too, and of syr2k and her2k
/// by lines of A or B. Where these are in place they are packed once for all: this product's B is
/// all of A's, or of B's, which have `b`'s place. Nothing: each product packs what it needs.
std::optional<GemmProblem> packed_once(const Level3Problem& problem, const KernelParams& kernel,
                                       const BlockSizes& sizes, MatricesInPlace in_place);

/// The operands that the device uses in place. One without a buffer is copied; the device does that
/// itself if the memory is page-locked.
struct Level3Operands {
  BoundInputs inputs;
  std::optional<BoundResult> result;
  LockedUse locked_a, locked_b, locked_c;

  MatricesInPlace in_place() const {
    return {inputs.a.buffer != nullptr, inputs.b.buffer != nullptr, result.has_value()};
  }
};
/// \pre the caller holds the device's mutex. `wanted`: a result of usable_in_place(). `of_host`:
/// memory that the host writes meanwhile.
Level3Operands bind_in_place(OpenedDevice& device, const Level3Problem& problem,
                             MatricesInPlace wanted, const HostRect& of_host);

/// Locks the pages of copied operands in registered memory. \pre the caller holds the device's
/// mutex.
void hold_pages(PageLocks& locks, const Level3Problem& problem, Level3Operands& operands);

}  // namespace duoblas

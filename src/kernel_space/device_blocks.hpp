// How a product of staged operands is divided into blocks, so that one block is on the bus while
// another is computed, and the blocks on the device fit its memory. Pure. The transfer pipeline
// (gpu/product/pipelined_product.cpp) carries it out; estimates count its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// The sizes of a block. A block of C is the sum of one product per slice of k. Blocks at the edges
/// are smaller.
struct DeviceBlocks {
  std::int64_t m = 0, n = 0, k = 0;
  /// The order of blocks. Rows: the next block of C is the one below, and the block of op(B) stays
  /// on the device. Columns: the next one is to the right, and the block of op(A) stays.
  Axis walk = Axis::rows;
  int a_slots = 1, b_slots = 1, c_slots = 1;  ///< blocks that are on the device at a time
};

/// Operands that are packed on the device before they are multiplied.
struct Packing {
  bool a = false, b = false;
};

/// Memory of the device, by buffer.
struct DeviceBytes {
  std::size_t a = 0, b = 0, c = 0;  ///< all slots
  std::size_t packed_a = 0, packed_b = 0, partial = 0;
  std::size_t total() const { return a + b + c + packed_a + packed_b + partial; }
};

/// Operands of which the device has copies.
struct Staged {
  bool a = true, b = true, c = true;
};

/// The memory of one product as a whole. Operands that are not staged count only if they are
/// packed.
DeviceBytes bytes_at_once(const GemmProblem& problem, const KernelParams& kernel, Staged staged);

/// Whether the device has room for these buffers together, allows each as one allocation, and
/// allows images of the size that the kernel reads.
bool fits(const DeviceBytes& bytes, const KernelParams& kernel, const DeviceLimits& limits);
/// Whether a product can be done as a whole: it fits(), and windows of the caller's memory and
/// kernels' indices are large enough.
bool fits_at_once(const GemmProblem& problem, const DeviceBytes& bytes, const KernelParams& kernel,
                  const DeviceLimits& limits);

/// The length of parts of about the same length, each `part` at most, in whole tiles if possible.
std::int64_t evened_out(std::int64_t whole, std::int64_t part, std::int64_t tile);

/// The least number of lines of tiles in a block of C, `tiles_across` wide, such that at most a
/// tenth of the compute units' time is idle while the block's last tiles are computed. Blocks run
/// one after another, so each block's end costs that.
std::int64_t busy_tiles(std::int64_t tiles_across, std::int64_t compute_units);

/// A row on the device starts where kernels read it fastest, whatever the caller's ld is.
std::size_t device_pitch(std::size_t row_bytes);

/// No row of a block of C is longer, so that results land in whole rows.
inline constexpr std::size_t most_result_row_bytes = std::size_t{4} << 20;

/// If everything fits: panels of whole tiles along the longer side of C, large enough to keep every
/// compute unit busy and to hide the start-up of transfers. The other operand stays on the device.
/// If only that operand fits: panels too, with fewer of them on the device. Otherwise: slices of k,
/// and blocks of C. The blocks are as large and as square as fit twice, since these bring the
/// fewest bytes of A and B over the bus. Nothing: not even the smallest blocks fit. \pre m, n, k >=
/// 1.
std::optional<DeviceBlocks> device_blocks(const GemmProblem& problem, const KernelParams& kernel,
                                          Packing packing, const DeviceLimits& limits);

/// The memory that these blocks take. Reads the problem's sizes, ops and type only.
DeviceBytes device_bytes(const GemmProblem& problem, const DeviceBlocks& blocks,
                         const KernelParams& kernel, Packing packing);

/// The bytes of one block in its slot.
std::size_t slot_bytes_a(const GemmProblem& problem, const DeviceBlocks& blocks);
std::size_t slot_bytes_b(const GemmProblem& problem, const DeviceBlocks& blocks);
std::size_t slot_bytes_c(const GemmProblem& problem, const DeviceBlocks& blocks);

/// Bytes over the bus in both directions; A and B count as often as the blocks need them.
double traffic_bytes(const GemmProblem& problem, const DeviceBlocks& blocks);

}  // namespace duoblas

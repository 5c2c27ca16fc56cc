// How a product of staged operands is cut into blocks, so that one is on the bus while another is
// computed, and no more of them is on the device than fits there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// Blocks of C, each the sum of as many products as k has slices. Edges are smaller.
struct DeviceBlocks {
  std::int64_t m = 0, n = 0, k = 0;
  /// Rows: after a block of C comes the one below it, and the block of op(B) stays. Columns: the
  /// one beside it, and op(A) stays.
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

/// The same of one product that is not cut; of operands that are not staged only packed copies
/// count.
DeviceBytes bytes_at_once(const GemmProblem& problem, const KernelParams& kernel, Staged staged);

/// Whether it need not be cut: by memory, by windows of the caller's memory, by what kernels count.
bool fits_at_once(const GemmProblem& problem, const DeviceBytes& bytes, const DeviceLimits& limits);

/// Lines of tiles in a block of C that is `tiles_across` wide, as few as leave no more than a tenth
/// of the compute units idle while the last tiles are computed, for the blocks follow one another.
std::int64_t busy_tiles(std::int64_t tiles_across, std::int64_t compute_units);

/// A row on the device starts where kernels read it fastest, whatever the caller's ld.
std::size_t device_pitch(std::size_t row_bytes);

/// No row of a block of C is longer, so that results land in whole rows.
inline constexpr std::size_t most_result_row_bytes = std::size_t{4} << 20;

/// Where everything fits, panels along the longer side of C, of whole tiles, which keep every
/// compute unit busy and are not so small that the transfers' start-up counts; the other operand
/// stays. Where that operand fits, panels too, and fewer of them on the device. Else blocks of C
/// that are as large and as square as fits, twice, which is what brings the least of A and B over
/// the bus, and slices of k. Nothing where not even the smallest blocks fit. \pre m, n, k >= 1.
std::optional<DeviceBlocks> device_blocks(const GemmProblem& problem, const KernelParams& kernel,
                                          Packing packing, const DeviceLimits& limits);

/// What these blocks take. Of the problem its sizes, ops and type count.
DeviceBytes device_bytes(const GemmProblem& problem, const DeviceBlocks& blocks,
                         const KernelParams& kernel, Packing packing);

/// The bytes of one block in its slot.
std::size_t slot_bytes_a(const GemmProblem& problem, const DeviceBlocks& blocks);
std::size_t slot_bytes_b(const GemmProblem& problem, const DeviceBlocks& blocks);
std::size_t slot_bytes_c(const GemmProblem& problem, const DeviceBlocks& blocks);

/// Bytes over the bus, both ways: A and B as often as the blocks need them.
double traffic_bytes(const GemmProblem& problem, const DeviceBlocks& blocks);

}  // namespace duoblas

// The launches of a kernel variant for a problem: index ranges and packed buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/kernel_source.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// Ranges and sizes of one product. If an operand is packed, its packing kernel runs first, and the
/// product reads the packed buffer from its first tile on (its ld is ignored).
struct Launch {
  cl::Range product;
  bool packs_a = false;
  bool packs_b = false;
  cl::Range pack_a;
  cl::Range pack_b;
  std::size_t packed_a_bytes = 0;
  std::size_t packed_b_bytes = 0;
  cl::Range reduce;               ///< if k is split
  std::size_t partial_bytes = 0;  ///< the partial sums, dense, one after another; 0: there are none
  /// With split_last: tiles that one group computes each, and parts of every other tile.
  std::int64_t whole_tiles = 0, splits = 0;
};

/// Work-items per work-group of each kernel.
struct GroupSizes {
  std::size_t product = 1, packing = 1, reduction = 1;
};
GroupSizes group_sizes(const KernelParams& kernel);

/// Of products by integers: a group that measures lines (MEASURING of kernels/integers_measure.cl),
/// and of these, items of a line at least; a group that has elements; and of these, words of a line
/// where it makes residues (WORDS of kernels/integers_residues.cl).
inline constexpr std::size_t integer_measuring_items = 128, integer_measuring_items_of_line = 32,
                             integer_element_items = 64, integer_words_of_group = 8;

/// Whether the last tiles of a kernel with split_last are split (last_tiles.hpp).
enum class SplitLast { never, where_it_pays, always };

/// The limits of a device that launches depend on.
struct LaunchLimits {
  int compute_units = 1;
  std::int64_t loop_turns = 0;  ///< DeviceLimits::loop_turns
  SplitLast split_last = SplitLast::where_it_pays;
};

/// For m, n, k >= 1. \throws DeviceError if a size is within 4096 of the largest int, or if a
/// work-item would do more iterations than the device allows. A CPU device with several compute
/// units gets at least that many work-groups, if the problem has as many tiles.
Launch launch(const KernelVariant& variant, std::int64_t m, std::int64_t n, std::int64_t k,
              const LaunchLimits& limits = {});

}  // namespace duoblas

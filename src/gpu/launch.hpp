// How a kernel variant is launched on a problem: index ranges and packed buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernel_source.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// Ranges and sizes of one product. Where an operand is packed, its packing kernel runs before the
/// product, which then reads the packed buffer (its ld is ignored) from the first of its tiles on.
struct Launch {
  cl::Range product;
  bool packs_a = false;
  bool packs_b = false;
  cl::Range pack_a;
  cl::Range pack_b;
  std::size_t packed_a_bytes = 0;
  std::size_t packed_b_bytes = 0;
  cl::Range reduce;               ///< where k is split
  std::size_t partial_bytes = 0;  ///< the parts' sums, dense, one after another; 0: k is not split
};

/// Work-items per work-group of each kernel.
struct GroupSizes {
  std::size_t product = 1, packing = 1, reduction = 1;
};
GroupSizes group_sizes(const KernelParams& kernel);

/// What a device has to do with the number of work-groups.
struct LaunchLimits {
  int compute_units = 1;
  std::int64_t loop_turns = 0;  ///< DeviceLimits::loop_turns
};

/// For m, n, k >= 1. \throws DeviceError within 4096 of the largest int, and where a work-item
/// would go round its loops more often than the device lets it. A CPU device with several compute
/// units gets at least that many work-groups where the problem has as many tiles.
Launch launch(const KernelVariant& variant, std::int64_t m, std::int64_t n, std::int64_t k,
              const LaunchLimits& limits = {});

}  // namespace duoblas

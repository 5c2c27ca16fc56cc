// An NVIDIA H200, as it was probed.
#pragma once

#include "kernel_space/device_limits.hpp"

namespace duoblas {

inline DeviceLimits h200() {
  DeviceLimits d;
  d.max_work_group_size = 1024;
  d.local_memory_bytes = 48 << 10;
  d.static_local_bytes = 200 << 10;
  d.compute_units = 132;
  d.async_copies = d.register_shares = d.fp64_matrix = d.tf32_matrix = d.wide_matrix = true;
  d.shuffle_width = 32;
  d.max_image_pixels = 1 << 27;
  return d;
}

}  // namespace duoblas

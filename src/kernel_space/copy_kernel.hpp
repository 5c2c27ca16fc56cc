// The parameters of a kernel of omatcopy (kernels/omatcopy.cl).
#pragma once

#include <string>

#include "kernel_space/device_limits.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct CopyKernel {
  int tile = 16;         ///< elements of a tile's side, where the copy transposes
  int across = 1;        ///< work-items of a group along B's rows
  int down = 1;          ///< and along its columns
  int lines = 1;         ///< rows of a work-item, where it does not transpose
  int vector_width = 1;  ///< elements; in numbers 1, 2, 4, 8 or 16

  friend bool operator==(const CopyKernel&, const CopyKernel&) = default;
};

/// A good kernel for the device, before anything was tuned.
CopyKernel default_copy_kernel(const DeviceLimits& device, Precision precision, bool transposes);

/// Whether there is such a kernel, whatever the device.
bool is_sound(const CopyKernel& kernel, Precision precision, bool transposes);
/// Whether the device can launch it.
bool is_legal(const CopyKernel& kernel, const DeviceLimits& device, Precision precision,
              bool transposes);

/// "tile 32, 32x8, lines 1", and ", v4" where there are vectors; copy_kernel_from() reads it.
/// \throws std::invalid_argument.
std::string describe(const CopyKernel& kernel);
CopyKernel copy_kernel_from(const std::string& text);

}  // namespace duoblas

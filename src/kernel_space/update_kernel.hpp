// The parameters of the kernels that update an operand: ger (kernels/ger.cl) and axpy
// (kernels/axpy.cl).
#pragma once

#include <string>

#include "kernel_space/device_limits.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct UpdateKernel {
  int vector_width = 1;  ///< elements; in numbers 1, 2, 4, 8 or 16
  int across = 1;        ///< work-items of a group side by side
  int down = 1;          ///< and one below another; 1 for axpy
  int lines = 1;         ///< rows of a work-item (ger), or vectors (axpy)

  friend bool operator==(const UpdateKernel&, const UpdateKernel&) = default;
};

/// Good kernels for the device, before anything was tuned.
UpdateKernel default_ger_kernel(const DeviceLimits& device, Precision precision);
UpdateKernel default_axpy_kernel(const DeviceLimits& device, Precision precision);

/// The most lines that a kernel of ger has: they are written out.
inline constexpr int most_ger_lines = 16;

/// Whether there is such a kernel, whatever the device.
bool is_sound(const UpdateKernel& kernel, Precision precision);
/// Whether the device can launch it.
bool is_legal(const UpdateKernel& kernel, const DeviceLimits& device, Precision precision);

/// "v4 32x4 lines 4"; update_kernel_from() reads it. \throws std::invalid_argument.
std::string describe(const UpdateKernel& kernel);
UpdateKernel update_kernel_from(const std::string& text);

}  // namespace duoblas

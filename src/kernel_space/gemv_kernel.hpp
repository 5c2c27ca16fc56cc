// The parameters of a gemv kernel (kernels/gemv.cl). They follow GATLAS (C. Jang): vector width,
// inner blocking, sizes as constants, A as a buffer or an image.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kernel_space/device_limits.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct GemvKernel {
  int vector_width = 1;  ///< elements: 1, 2, 4, 8 or 16 real numbers (a complex element is two)
  int across = 1;        ///< work-items of a group along a row of A: a power of two
  int teams = 1;         ///< such rows of work-items in a group, down A's columns; 1 if op(A) = A
  int lines = 1;         ///< rows of A per work-item; transposed: vectors of columns
  int unroll = 1;        ///< steps of the inner loop written out
  /// 1: sizes are compile-time constants, if a call is one launch and there are few such programs.
  int inline_sizes = 0;
  /// 1: A is read as an image with pixels of 16 bytes, if its rows are aligned to them and it fits
  /// an image. Otherwise, and at the ends of rows, A is read from the buffer.
  int image = 0;
  /// 0: a second kernel adds the slices of long sums. n > 0: the last work-group of the same launch
  /// adds them. There are slices for n * 512 work-items per compute unit.
  int fused = 0;

  friend bool operator==(const GemvKernel&, const GemvKernel&) = default;
};

/// Parameters by their names in files. Tuning changes these.
using GemvAxes = std::vector<std::pair<const char*, int GemvKernel::*>>;
/// Numbers from 1 on. Every file has each of them.
const GemvAxes& gemv_fields();
/// Numbers from 0 (off) on. Files name those that are on.
const GemvAxes& gemv_switches();
/// The axes that are useful on the device, in the order of the hill climbing.
GemvAxes gemv_axes(const DeviceLimits& device, bool transposes);

/// Bytes of a pixel of an image. A kernel that reads an image uses vectors of this size.
inline constexpr std::size_t gemv_pixel_bytes = 16;

/// A good kernel for the device, before anything was tuned.
GemvKernel default_gemv_kernel(const DeviceLimits& device, Precision precision, bool transposes);

/// Whether there is such a kernel, whatever the device.
bool is_sound(const GemvKernel& kernel, Precision precision, bool transposes);
/// Whether the device can launch it.
bool is_legal(const GemvKernel& kernel, const DeviceLimits& device, Precision precision,
              bool transposes);

/// "v4 128x1 lines 4 unroll 2", "... inline image fused 2"; gemv_kernel_from() reads it. \throws
/// std::invalid_argument.
std::string describe(const GemvKernel& kernel);
GemvKernel gemv_kernel_from(const std::string& text);

}  // namespace duoblas

// The parameters of a gemv kernel (kernels/gemv.cl): GATLAS's vector width, inner blocking, inlined
// sizes, and A through a buffer or an image.
#pragma once

#include <cstddef>
#include <string>

#include "kernel_space/device_limits.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct GemvKernel {
  int vector_width = 1;  ///< elements; in numbers 1, 2, 4, 8 or 16
  int across = 1;        ///< work-items of a group along a row of A: a power of two
  int teams = 1;         ///< of those, side by side along its columns; 1 where op(A) is A
  int lines = 1;         ///< rows, or vectors of columns, of a work-item
  int unroll = 1;        ///< steps of the inner loop written out
  /// 1: rows and columns are compiled in, where a call is one launch and there are programs enough.
  int inline_sizes = 0;
  /// 1: A is read as an image over its buffer, 16 bytes a pixel, where its rows start so and an
  /// image holds it; else, and at the ends of rows, from the buffer.
  int image = 0;
  /// 0: sums that are cut into slices are added by a second kernel. Else by the last work-group of
  /// the same launch, and there are slices for so many times 512 work-items per compute unit.
  int fused = 0;

  friend bool operator==(const GemvKernel&, const GemvKernel&) = default;
};

/// What an image has in a pixel: a vector of a kernel that reads one.
inline constexpr std::size_t gemv_pixel_bytes = 16;

/// A good one for the device, before anything was tuned.
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

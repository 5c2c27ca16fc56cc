#include "gpu/device/operand_image.hpp"

#include <algorithm>
#include <limits>

#include <duoblas/error.hpp>

namespace duoblas {

std::optional<cl::Image> image_in_place(const TargetDevice& device, const BoundOperand& operand,
                                        std::int64_t rows, std::int64_t columns,
                                        Precision precision) {
  constexpr std::size_t pixel_bytes = 16;
  constexpr std::size_t most = std::numeric_limits<int>::max();  // kernels count them in ints
  const std::size_t end = operand.offset_bytes +
                          static_cast<std::size_t>(rows - 1) * operand.pitch_bytes +
                          static_cast<std::size_t>(columns) * element_size(precision);
  const std::size_t pixels = end / pixel_bytes;
  if (pixels == 0 || pixels > std::min(device.limits.max_image_pixels, most)) return std::nullopt;
  try {
    return device.context.image_over(*operand.buffer, pixels,
                                     is_double(precision) ? cl::Pixel::uint4 : cl::Pixel::float4);
  } catch (const DeviceError&) {
    return std::nullopt;  // such as over a part of another buffer (PoCL 3.1)
  }
}

}  // namespace duoblas

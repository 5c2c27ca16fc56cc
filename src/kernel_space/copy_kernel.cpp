#include "kernel_space/copy_kernel.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "kernel_space/built_in_stream.hpp"

namespace duoblas {
namespace {

std::size_t local_bytes(const CopyKernel& kernel, Precision precision, bool transposes) {
  if (!transposes || kernel.across * kernel.down == 1) return 0;
  const auto side = static_cast<std::size_t>(kernel.tile);
  return side * (side + 1) * element_size(precision);
}

}  // namespace

CopyKernel default_copy_kernel(const DeviceLimits& device, Precision precision, bool transposes) {
  static constinit BuiltInStream<CopyKernel> plain("copy n", copy_kernel_from),
      transposed("copy t", copy_kernel_from);
  CopyKernel kernel = (transposes ? transposed : plain).of(device, precision);
  if (device.is_cpu) return kernel;
  kernel.vector_width = widest_vector(device, precision);
  const auto items = [&] {
    return static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down);
  };
  while (items() > std::max<std::size_t>(device.max_work_group_size, 1))
    (kernel.down > 1 ? kernel.down : kernel.across) /= 2;
  while (!is_legal(kernel, device, precision, transposes) && kernel.tile > 4) {
    kernel.tile /= 2;
    kernel.across = std::min(kernel.across, kernel.tile / kernel.vector_width);
    kernel.down = std::min(kernel.down, kernel.tile);
  }
  return kernel;
}

bool is_legal(const CopyKernel& kernel, const DeviceLimits& device, Precision precision,
              bool transposes) {
  const std::size_t items =
      static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down);
  return is_sound(kernel, precision, transposes) && items <= device.max_work_group_size &&
         (device.local_memory_bytes == 0 ||
          local_bytes(kernel, precision, transposes) <= device.local_memory_bytes) &&
         (!is_double(precision) || device.has_fp64);
}

std::string describe(const CopyKernel& kernel) {
  return "tile " + std::to_string(kernel.tile) + ", " + std::to_string(kernel.across) + "x" +
         std::to_string(kernel.down) + ", lines " + std::to_string(kernel.lines) +
         (kernel.vector_width == 1 ? "" : ", v" + std::to_string(kernel.vector_width));
}

bool is_sound(const CopyKernel& kernel, Precision precision, bool transposes) {
  // A CPU has a tile on its stack, work-items beyond a tile's side would have nothing to do, and
  // more lines than these are more than a work-item does in a useful time.
  constexpr int most_tile = 64, most_items = 1024, most_lines = 1024;
  const auto within = [](int value, int most) { return value >= 1 && value <= most; };
  const int width = kernel.vector_width;
  const bool is_vector = within(width, 16 / reals_of(precision)) && (width & (width - 1)) == 0;
  if (!is_vector || !within(kernel.tile, most_tile)) return false;
  if (!transposes)
    return within(kernel.across, most_items) && within(kernel.down, most_items) &&
           within(kernel.lines, most_lines);
  return kernel.tile % width == 0 && within(kernel.across, kernel.tile / width) &&
         within(kernel.down, kernel.tile) && kernel.lines == 1;
}

CopyKernel copy_kernel_from(const std::string& text) {
  CopyKernel kernel;
  int end = 0, end_of_width = 0;
  const int found =
      std::sscanf(text.c_str(), "tile %d, %dx%d, lines %d%n, v%d%n", &kernel.tile, &kernel.across,
                  &kernel.down, &kernel.lines, &end, &kernel.vector_width, &end_of_width);
  if (found < 4 || static_cast<std::size_t>(found == 4 ? end : end_of_width) != text.size())
    throw std::invalid_argument("\"" + text + "\" is no kernel of omatcopy, as \"" +
                                describe(CopyKernel{}) + "\" is");
  return kernel;
}

}  // namespace duoblas

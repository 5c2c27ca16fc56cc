#include "kernel_space/copy_kernel.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace duoblas {
namespace {

std::size_t local_bytes(const CopyKernel& kernel, Precision precision, bool transposes) {
  if (!transposes || kernel.across * kernel.down == 1) return 0;
  const auto side = static_cast<std::size_t>(kernel.tile);
  return side * (side + 1) * element_size(precision);
}

}  // namespace

CopyKernel default_copy_kernel(const DeviceLimits& device, Precision precision, bool transposes) {
  // On a CPU a tile of 16 lines of 64 bytes stays in the first-level cache.
  if (device.is_cpu) return {16, 1, 1, transposes ? 1 : 16};
  // NVIDIA H200, n = 8192 (bench_omatcopy --sweep yes): 0.92 to 0.96 of the driver's own copy.
  CopyKernel kernel{precision == Precision::z ? 32 : 64, 16, element_size(precision) == 8 ? 16 : 8,
                    1};
  if (!transposes) kernel = {32, 32, 4, 2};
  while (kernel.down > 1 &&
         static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down) >
             device.max_work_group_size)
    kernel.down /= 2;
  while (!is_legal(kernel, device, precision, transposes) && kernel.tile > 4) {
    kernel.tile /= 2;
    kernel.across = std::max(1, kernel.across / 2);
  }
  return kernel;
}

bool is_legal(const CopyKernel& kernel, const DeviceLimits& device, Precision precision,
              bool transposes) {
  const std::size_t items =
      static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down);
  return kernel.tile >= 1 && kernel.across >= 1 && kernel.down >= 1 && kernel.lines >= 1 &&
         items <= device.max_work_group_size &&
         (device.local_memory_bytes == 0 ||
          local_bytes(kernel, precision, transposes) <= device.local_memory_bytes) &&
         (!is_double(precision) || device.has_fp64);
}

std::string describe(const CopyKernel& kernel) {
  return "tile " + std::to_string(kernel.tile) + ", " + std::to_string(kernel.across) + "x" +
         std::to_string(kernel.down) + ", lines " + std::to_string(kernel.lines);
}

bool is_sound(const CopyKernel& kernel, bool transposes) {
  // A CPU has a tile on its stack, work-items beyond a tile's side would have nothing to do, and
  // more lines than these are more than a work-item does in a useful time.
  constexpr int most_tile = 64, most_items = 1024, most_lines = 1024;
  const auto within = [](int value, int most) { return value >= 1 && value <= most; };
  const int widest = transposes ? kernel.tile : most_items;
  return within(kernel.tile, most_tile) && within(kernel.across, widest) &&
         within(kernel.down, widest) && within(kernel.lines, transposes ? 1 : most_lines);
}

CopyKernel copy_kernel_from(const std::string& text) {
  CopyKernel kernel;
  int end = 0;
  if (std::sscanf(text.c_str(), "tile %d, %dx%d, lines %d%n", &kernel.tile, &kernel.across,
                  &kernel.down, &kernel.lines, &end) != 4 ||
      static_cast<std::size_t>(end) != text.size())
    throw std::invalid_argument("\"" + text + "\" is no kernel of omatcopy, as \"" +
                                describe(CopyKernel{}) + "\" is");
  return kernel;
}

}  // namespace duoblas

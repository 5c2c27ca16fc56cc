#include "kernel_space/update_kernel.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "kernel_space/built_in_stream.hpp"

namespace duoblas {
namespace {

UpdateKernel suited(UpdateKernel kernel, const DeviceLimits& device, Precision precision) {
  kernel.vector_width = widest_vector(device, precision);
  if (device.is_cpu) return kernel;
  const auto items = [&] {
    return static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down);
  };
  while (kernel.down > 1 && items() > device.max_work_group_size) kernel.down /= 2;
  while (kernel.across > 1 && items() > device.max_work_group_size) kernel.across /= 2;
  return kernel;
}

}  // namespace

UpdateKernel default_ger_kernel(const DeviceLimits& device, Precision precision) {
  static constinit BuiltInStream<UpdateKernel> built_in("ger", update_kernel_from);
  return suited(built_in.of(device, precision), device, precision);
}

UpdateKernel default_axpy_kernel(const DeviceLimits& device, Precision precision) {
  static constinit BuiltInStream<UpdateKernel> built_in("axpy", update_kernel_from);
  return suited(built_in.of(device, precision), device, precision);
}

bool is_sound(const UpdateKernel& kernel, Precision precision) {
  // Far above any device's work-groups, and above what a work-item does in a useful time.
  constexpr int most_items = 1024, most_lines = 1 << 16;
  const int lanes = kernel.vector_width * reals_of(precision);
  const bool is_vector = kernel.vector_width >= 1 && kernel.vector_width <= 16 && lanes <= 16 &&
                         (lanes & (lanes - 1)) == 0;
  const auto within = [](int value, int most) { return value >= 1 && value <= most; };
  return is_vector && within(kernel.across, most_items) && within(kernel.down, most_items) &&
         within(kernel.lines, most_lines);
}

bool is_legal(const UpdateKernel& kernel, const DeviceLimits& device, Precision precision) {
  return is_sound(kernel, precision) &&
         static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down) <=
             device.max_work_group_size &&
         (!is_double(precision) || device.has_fp64);
}

std::string describe(const UpdateKernel& kernel) {
  return "v" + std::to_string(kernel.vector_width) + " " + std::to_string(kernel.across) + "x" +
         std::to_string(kernel.down) + " lines " + std::to_string(kernel.lines);
}

UpdateKernel update_kernel_from(const std::string& text) {
  UpdateKernel kernel;
  int end = 0;
  if (std::sscanf(text.c_str(), "v%d %dx%d lines %d%n", &kernel.vector_width, &kernel.across,
                  &kernel.down, &kernel.lines, &end) != 4 ||
      static_cast<std::size_t>(end) != text.size())
    throw std::invalid_argument("\"" + text + "\" is no kernel of updates, as \"" +
                                describe(UpdateKernel{}) + "\" is");
  return kernel;
}

}  // namespace duoblas

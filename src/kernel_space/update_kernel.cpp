#include "kernel_space/update_kernel.hpp"

#include <algorithm>

namespace duoblas {
namespace {

int numbers_of(Precision precision) {
  return is_complex(precision) ? 2 : 1;
}

// Elements of the widest vectors of a CPU device; on others sixteen bytes are the widest access of
// a work-item.
int widest_vector(const DeviceLimits& device, Precision precision) {
  const int part = is_double(precision) ? 8 : 4, numbers = numbers_of(precision);
  const int bytes = device.is_cpu ? device.vector_bytes : 16;
  return std::clamp(bytes / part, numbers, 16) / numbers;
}

UpdateKernel within(UpdateKernel kernel, const DeviceLimits& device) {
  const auto items = [&] {
    return static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down);
  };
  while (kernel.down > 1 && items() > device.max_work_group_size) kernel.down /= 2;
  while (kernel.across > 1 && items() > device.max_work_group_size) kernel.across /= 2;
  return kernel;
}

}  // namespace

UpdateKernel default_ger_kernel(const DeviceLimits& device, Precision precision) {
  UpdateKernel kernel{widest_vector(device, precision), 1, 1, 8};
  if (device.is_cpu) return kernel;
  kernel.across = 32;
  kernel.down = 4;
  kernel.lines = 4;
  return within(kernel, device);
}

UpdateKernel default_axpy_kernel(const DeviceLimits& device, Precision precision) {
  UpdateKernel kernel{widest_vector(device, precision), 1, 1, 512};
  if (device.is_cpu) return kernel;
  kernel.across = 256;
  kernel.lines = 2;
  return within(kernel, device);
}

bool is_legal(const UpdateKernel& kernel, const DeviceLimits& device, Precision precision) {
  const int lanes = kernel.vector_width * numbers_of(precision);
  const bool is_vector = lanes >= 1 && lanes <= 16 && (lanes & (lanes - 1)) == 0;
  return is_vector && kernel.across >= 1 && kernel.down >= 1 && kernel.lines >= 1 &&
         static_cast<std::size_t>(kernel.across) * static_cast<std::size_t>(kernel.down) <=
             device.max_work_group_size &&
         (!is_double(precision) || device.has_fp64);
}

std::string describe(const UpdateKernel& kernel) {
  return "v" + std::to_string(kernel.vector_width) + " " + std::to_string(kernel.across) + "x" +
         std::to_string(kernel.down) + " lines " + std::to_string(kernel.lines);
}

}  // namespace duoblas

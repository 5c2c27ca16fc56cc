#include "gpu/device/device_limits_of.hpp"

#include <algorithm>

#include "opencl/driver_quirks.hpp"

namespace duoblas {
namespace {

// The rest belongs to the driver and to other programs.
constexpr double usable_memory = 0.8;

std::size_t memory_of(const cl::DeviceInfo& info, std::size_t limit) {
  const auto usable =
      static_cast<std::size_t>(usable_memory * static_cast<double>(info.global_memory_bytes));
  return limit == 0 ? usable : usable == 0 ? limit : std::min(limit, usable);
}

}  // namespace

DeviceLimits device_limits(const cl::DeviceInfo& info, std::size_t memory_limit) {
  DeviceLimits limits;
  limits.memory_bytes = memory_of(info, memory_limit);
  limits.is_cpu = info.is_cpu;
  limits.max_work_group_size = info.max_work_group_size;
  limits.local_memory_bytes = info.local_memory_bytes;
  limits.max_allocation_bytes = info.max_allocation_bytes;
  limits.compute_units = info.compute_units;
  limits.vector_bytes = info.native_vector_bytes;
  limits.has_fp64 = info.has_fp64;
  limits.fma_single = info.fma_single;
  limits.fma_double = info.fma_double;
  limits.max_image_pixels = info.max_image_pixels;
  // Mesa 22.3.6 allows 65,535, and the compiler's own are among them.
  if (cl::quirks_of(info).ends_long_loops) limits.loop_turns = 60000;
  return limits;
}

}  // namespace duoblas

#include "gpu/device/computable.hpp"

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

namespace duoblas {

void require_type(const TargetDevice& device, Precision precision) {
  const cl::DeviceInfo& info = device.context.device().info;
  if (is_double(precision) && !info.has_fp64)
    throw DeviceError(info.name + " has no double precision; the CPU has to do it");
}

void require_computable(const TargetDevice& device, Precision precision, std::int64_t rows,
                        std::int64_t columns) {
  require_type(device, precision);
  if (std::max(rows, columns) > most_routine_extent)
    throw DeviceError("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                      " is larger than kernels of this routine take; the CPU has to do it");
}

void require_room(const OpenedDevice& device, std::size_t bytes) {
  const std::size_t limit = device.free_limits().memory_bytes;
  if (limit > 0 && bytes > limit)
    throw DeviceError("a matrix of " + std::to_string(bytes) +
                      " bytes does not fit into the device's memory; the CPU has to do it");
}

}  // namespace duoblas

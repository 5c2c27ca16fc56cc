// What a device cannot do, whatever else is known of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/device/opened_device.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// The largest extent that the ints of kernels can hold, with room for strides.
inline constexpr std::int64_t most_routine_extent = std::int64_t{1} << 30;

/// \throws DeviceError if the device cannot do the type.
void require_type(const TargetDevice& device, Precision precision);
/// The same, and if an extent of the matrix is larger than most_routine_extent.
void require_computable(const TargetDevice& device, Precision precision, std::int64_t rows,
                        std::int64_t columns);
/// \throws DeviceError if so many more bytes do not fit the device's memory.
void require_room(const OpenedDevice& device, std::size_t bytes);

}  // namespace duoblas

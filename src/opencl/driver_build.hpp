// Identifies the build of a device's driver: distributions fix drivers without changing the
// version.
#pragma once

#include <string>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// Path, size and modification time of the driver's file. Empty if it is not known.
std::string driver_build(const Device& device) noexcept;

}  // namespace duoblas::cl

// Which build of a driver a device has: versions stay the same while distributions mend drivers.
#pragma once

#include <string>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// Path, size and time of change of the file that holds the driver. Empty where nobody tells.
std::string driver_build(const Device& device) noexcept;

}  // namespace duoblas::cl

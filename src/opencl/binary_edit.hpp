// Changes a driver's binary before it is built and stored.
#pragma once

#include <vector>

namespace duoblas::cl {

/// Returns the binary to build. \throws DeviceError if it cannot be changed.
using BinaryEdit = std::vector<unsigned char> (*)(const std::vector<unsigned char>& binary);

}  // namespace duoblas::cl

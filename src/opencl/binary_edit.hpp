// What becomes of a driver's binary before it is built and kept.
#pragma once

#include <vector>

namespace duoblas::cl {

/// A program's binary as it is to be built. \throws DeviceError where it is none that can be.
using BinaryEdit = std::vector<unsigned char> (*)(const std::vector<unsigned char>& binary);

}  // namespace duoblas::cl

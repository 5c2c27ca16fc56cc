// The device that the tests of this machine run on.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>

#include "opencl/device.hpp"

namespace duoblas::test {

inline cl::Device first_device() {
  std::string why_not;
  const auto devices = cl::list_devices(&why_not);
  if (devices.empty()) throw std::runtime_error("these tests need an OpenCL device: " + why_not);
  return devices.front();
}

}  // namespace duoblas::test

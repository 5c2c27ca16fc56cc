// What a driver cannot do, or does otherwise than others, as tests tell it: test.sh gathers such
// lines and prints them at its end.
#pragma once

#include <iostream>
#include <string_view>

#include "opencl/device.hpp"

namespace duoblas::test {

inline void tell_of_driver(const cl::DeviceInfo& info, std::string_view what) {
  std::cout << "==> driver: " << info.name << ", " << info.driver_version << ": " << what
            << std::endl;
}

}  // namespace duoblas::test

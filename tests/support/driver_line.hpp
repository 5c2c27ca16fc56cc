// A line about something that a driver cannot do or does wrong. test.sh gathers these lines and
// prints them at its end.
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

// What a driver needs of the process. PoCL ends it where that is missing (abort, exit): it links
// each kernel at its first launch by a program, which it waits for, into a folder whose files it
// loads. Programs that preload DuoBLAS have not asked for that: so it is looked for before.
#pragma once

#include <string>
#include <string_view>

#include <duoblas/error.hpp>

#include "opencl/device.hpp"

namespace duoblas::cl {

/// The driver is left out, since it would end the process. Another time it may not.
class DriverLeftOut : public DeviceError {
 public:
  /// `missing`: as below.
  DriverLeftOut(std::string_view platform, const std::string& missing);
};

/// What the platform needs to list its devices and has not; empty: nothing.
std::string missing_to_list(std::string_view platform);

/// What the device's driver needs to build kernels and has not; empty: nothing. Starts no process.
std::string missing_to_build(const Device& device);

/// The same, but also starts a process (seen by the program as a child that has ended), unless that
/// was done a second ago. \throws DriverLeftOut.
void require_what_builds_need(const Device& device);

}  // namespace duoblas::cl

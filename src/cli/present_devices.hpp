// The devices that are present now, for comparison with stored files.
#pragma once

#include <string>
#include <vector>

#include "profile/profile_match.hpp"

namespace duoblas::cli {

struct PresentDevice {
  std::string name;
  std::string driver;  ///< as in a ProfileKey: platform and version
  std::string platform, driver_version, device_version;
  std::string build;  ///< of the driver (opencl/driver_build.hpp)
  ProfileOrigin origin;
  bool is_cpu = false;
};

/// The devices of all platforms.
std::vector<PresentDevice> present_devices();

/// Why files of this device and driver are useless here; empty: both are present.
std::string why_not_here(const std::vector<PresentDevice>& present, const std::string& device,
                         const std::string& driver);

}  // namespace duoblas::cli

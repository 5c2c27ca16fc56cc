// The devices that are here now, with which what was left behind is compared.
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

/// What every platform lists.
std::vector<PresentDevice> present_devices();

/// Why nothing of this device and driver is of use here; empty: they are here.
std::string why_not_here(const std::vector<PresentDevice>& present, const std::string& device,
                         const std::string& driver);

}  // namespace duoblas::cli

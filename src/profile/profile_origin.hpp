// What kind of device a profile was made on: enough to tell how much it says about another one.
#pragma once

#include <string>

namespace duoblas {

struct ProfileOrigin {
  std::string vendor;        ///< as OpenCL says it
  std::string kind = "gpu";  ///< "gpu" or "cpu"
  /// Devices of one architecture like the same kernels: "cc90" for NVIDIA's compute capability 9.0,
  /// "v512" for a CPU device with vectors of 512 bits, else the device's name without revision.
  std::string architecture;
  friend bool operator==(const ProfileOrigin&, const ProfileOrigin&) = default;
};

/// What a device says of itself, as far as its origin goes.
struct DeviceIdentity {
  std::string name;
  std::string vendor;
  bool is_cpu = false;
  int vector_bytes = 0;       ///< of a CPU device
  int nvidia_capability = 0;  ///< 90 for 9.0; 0 elsewhere
};

ProfileOrigin profile_origin(const DeviceIdentity& device);

}  // namespace duoblas

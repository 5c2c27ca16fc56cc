// The kind of device that a profile was made on: enough to say how much it tells about another
// device.
#pragma once

#include <string>

namespace duoblas {

struct ProfileOrigin {
  std::string vendor;        ///< as OpenCL reports it
  std::string kind = "gpu";  ///< "gpu" or "cpu"
  /// Devices of one architecture run the same kernels well: "cc90" for NVIDIA's compute capability
  /// 9.0, "v512" for a CPU device with vectors of 512 bits, otherwise the device's name without
  /// revision.
  std::string architecture;
  friend bool operator==(const ProfileOrigin&, const ProfileOrigin&) = default;
};

/// The part of what a device reports about itself that its origin depends on.
struct DeviceIdentity {
  std::string name;
  std::string vendor;
  bool is_cpu = false;
  int vector_bytes = 0;       ///< of a CPU device
  int nvidia_capability = 0;  ///< 90 for 9.0; 0 elsewhere
};

ProfileOrigin profile_origin(const DeviceIdentity& device);

}  // namespace duoblas

// The device that was last opened on this machine, for processes that have not opened one.
#pragma once

#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "profile/profile_match.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

struct DeviceOpenedLast : MachineIdentity {
  SharingMode sharing = SharingMode::staged;
  bool has_fp64 = true;
  bool doubles_by_integers = false;  ///< as in DeviceLimits
};

/// The directory of these files.
std::string last_device_folder(const std::string& cache_dir);

/// What decides which device is opened: the settings, variables that drivers read, and which
/// drivers there are.
std::string device_choice(const Settings& settings);

/// A file of DUOBLAS_CACHE_DIR. Its key holds everything that decides which device is opened: the
/// settings, the host and its boot, the drivers.
class LastDevice {
 public:
  explicit LastDevice(const Settings& settings);

  /// Nothing: none was opened, or the file cannot be read. The caller fills in the key's processor.
  std::optional<DeviceOpenedLast> load() const;
  /// Does nothing if the file cannot be written.
  void remember(const DeviceOpenedLast& device) const;

 private:
  std::string folder_, key_;
  bool standin_;
};

}  // namespace duoblas

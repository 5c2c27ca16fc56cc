// Which device was last opened on this machine, for processes that have not opened one.
#pragma once

#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "memory/sharing_mode.hpp"
#include "profile/profile_match.hpp"

namespace duoblas {

struct DeviceOpenedLast : MachineIdentity {
  SharingMode sharing = SharingMode::staged;
};

/// The folder of these files.
std::string last_device_folder(const std::string& cache_dir);

/// Whether this host was booted since the file with this key was written: nobody reads it again.
bool is_of_an_earlier_boot(const std::string& key);

/// A file of DUOBLAS_CACHE_DIR, found by what decides which device is opened: the settings, the
/// host since it was booted, its drivers.
class LastDevice {
 public:
  explicit LastDevice(const Settings& settings);

  /// Nothing: none was opened, or it cannot be read. The key's processor is the caller's to fill
  /// in.
  std::optional<DeviceOpenedLast> load() const;
  /// What cannot be written is forgotten.
  void remember(const DeviceOpenedLast& device) const;

 private:
  std::string folder_, key_;
  bool standin_;
};

}  // namespace duoblas

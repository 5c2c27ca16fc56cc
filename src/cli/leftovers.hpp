// The files that tuning and calls left on disk, and which of them are useless now.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "profile/profile_match.hpp"

namespace duoblas::cli {

/// A device that is here now, for comparison with stored files.
struct PresentDevice {
  std::string name;
  std::string driver;  ///< as in a ProfileKey: platform and version
  std::string platform, driver_version, device_version;
  std::string build;  ///< of the driver (opencl/device.hpp)
  ProfileOrigin origin;
  bool is_cpu = false;
};

/// The devices of all platforms.
std::vector<PresentDevice> present_devices();

/// Why files of this device and driver are useless here; empty: both are present.
std::string why_not_here(const std::vector<PresentDevice>& present, const std::string& device,
                         const std::string& driver);

struct Leftover {
  std::filesystem::path file;
  std::string what;  ///< "profile", "journal", "compiled kernel", ...
  std::string why;   ///< why it does not fit any more; empty: it does
  std::uintmax_t bytes = 0;
  std::time_t changed = 0;
  /// The profile whose lock must be held while it is removed (profile_lock.hpp); empty: none.
  std::string locked_as;
};

/// This machine as tuning sees it.
struct OpenedMachine {
  ProfileKey key;
  /// JournalHeader::code, of the arithmetics that its products have now.
  std::map<Arithmetic, std::string> kernel_code;

  /// Whether the key is this machine's, in whatever arithmetic.
  bool is_of(ProfileKey other) const {
    other.arithmetic = key.arithmetic;
    return other == key;
  }
};

/// Nothing if there is no device to tune. Call it before anybody lists devices: a stand-in must
/// start PoCL on its half of the cores.
std::optional<OpenedMachine> opened_machine(const Settings& settings);

/// When it was last written to; 0: it is not there.
std::time_t changed_at(const std::filesystem::path& file);

/// Profiles, journals, kept copies of both, and measured core types of BLAS libraries. Only files
/// with the names that tuning gives them. A profile that is used for a device that was never tuned
/// still fits.
std::vector<Leftover> profile_leftovers(const Settings& settings,
                                        const std::optional<OpenedMachine>& machine,
                                        const std::vector<PresentDevice>& present);

/// Compiled kernels, verdicts, learned times, which device was opened last, and what is kept of
/// programs.
std::vector<Leftover> cache_leftovers(const Settings& settings,
                                      const std::vector<PresentDevice>& present);

}  // namespace duoblas::cli

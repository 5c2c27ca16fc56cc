// Which profile stands in where a machine was never tuned: the one of the machine most like it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profile/profile.hpp"

namespace duoblas {

/// How much a profile says about a machine, from nothing to everything. A stand-in is compared with
/// stand-ins only, a GPU with GPUs, a CPU device with CPU devices.
enum class ProfileMatch {
  none,
  kind,          ///< a GPU, or a CPU device, as this one
  vendor,        ///< of the same vendor
  architecture,  ///< ProfileOrigin::architecture
  device,        ///< the same device, with another driver or beside another CPU
  exact,         ///< this very machine
};

/// "exact", "device" ...
std::string_view name(ProfileMatch match);

/// What profiles are compared with.
struct MachineIdentity {
  ProfileKey key;
  ProfileOrigin origin;
};

ProfileMatch match(const Profile& profile, const MachineIdentity& machine);

/// The index of the candidate that matches best; nothing where all match none. Of equals the one
/// that shares more of vendor and CPU, then the one with more points, then the first.
std::optional<std::size_t> best_match(std::span<const Profile> candidates,
                                      const MachineIdentity& machine);

/// "Device (driver; processor), tuned 2026-11-21", fit for a terminal whatever the file said.
std::string title(const Profile& profile);

}  // namespace duoblas

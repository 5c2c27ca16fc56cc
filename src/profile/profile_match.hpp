// Which profile is used on a machine that was never tuned: that of the most similar machine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace duoblas {

/// How much a profile says about a machine, from nothing to everything. Stand-ins are compared with
/// stand-ins only, GPUs with GPUs, CPU devices with CPU devices.
enum class ProfileMatch {
  none,
  kind,          ///< both are GPUs, or both CPU devices
  vendor,        ///< of the same vendor
  architecture,  ///< ProfileOrigin::architecture
  device,        ///< the same device, with another driver or beside another CPU
  exact,         ///< this very machine
};

/// "exact", "device" ...
std::string_view name(ProfileMatch match);

/// The facts that profiles are compared with.
struct MachineIdentity {
  ProfileKey key;
  ProfileOrigin origin;
};

ProfileMatch match(const Profile& profile, const MachineIdentity& machine);

/// The texts of tuner/profiles/*.json, compiled into the library (cmake/EmbedProfiles.cmake).
std::span<const std::string_view> shipped_profiles();

/// The legal profiles of the directory, by name, then the shipped ones. Damaged ones are left out:
/// that is reported when their own machine asks for them. Never throws.
std::vector<Profile> profile_candidates(const std::string& directory);

/// The index of the candidate that matches best; nothing if none matches. Ties go to the one that
/// shares more of vendor and CPU, then to the one with more points, then to the first.
std::optional<std::size_t> best_match(std::span<const Profile> candidates,
                                      const MachineIdentity& machine);

/// "Device (driver; processor), tuned 2026-11-21", printable on a terminal whatever the file
/// contains.
std::string title(const Profile& profile);

}  // namespace duoblas

// The folder of this user's profiles, and which of them a command means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile_match.hpp"

namespace duoblas::cli {

/// \throws Error where there is none.
std::filesystem::path profile_folder();

/// The path of a name as `list` prints it, or of a path; of this machine's profile where `name` is
/// empty. \throws Error where this machine needs none.
std::filesystem::path chosen_profile(const std::string& name);

/// The profiles' paths, by name.
std::vector<std::filesystem::path> stored_profiles();

/// The text of a file that should be a profile. \throws Error that names it.
std::string profile_text(const std::filesystem::path& path);

/// What is wrong with the file; empty: nothing.
std::string profile_problem(const std::filesystem::path& path);

/// This machine, as profiles name it; nothing where it has no device to tune or
/// its settings cannot be met. Opens the device.
std::optional<MachineIdentity> this_machine();

}  // namespace duoblas::cli

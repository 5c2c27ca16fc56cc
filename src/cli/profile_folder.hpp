// The folder of this user's profiles, which of them a command means, and the actions of `duoblas
// profile` that have files of their own.
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

/// The actions return the exit code. All profiles of this user; `json`: also to this file, unless
/// empty.
int list_profiles(const std::string& json);

/// Copies a profile (this machine's where `name` is empty) to a file; "-": standard output.
int export_profile(const std::string& name, const std::string& file);

/// Takes a profile from a file ("-": standard input) after every check. The earlier one is kept as
/// `<name>.before-import`.
int import_profile(const std::string& file);

}  // namespace duoblas::cli

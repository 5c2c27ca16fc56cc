// The directory of profiles, which is private to its user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace duoblas {

/// The user and group that own new files, for a program that runs under sudo; nothing: the user who
/// runs it.
using FileOwner = std::optional<std::pair<unsigned, unsigned>>;

/// Makes the directory and missing ones above it; only the owner may enter. \throws SettingError.
void make_profile_directory(const std::string& directory, const FileOwner& owner = std::nullopt);

/// Makes the directory if needed and tests whether it can be written, so that a tuning is not lost
/// at its end. \throws SettingError.
void prepare_profile_directory(const std::string& directory);

/// Changes with each profile that comes, goes or is replaced, and with no other file.
std::uint64_t state_of_profiles(const std::string& directory);

}  // namespace duoblas

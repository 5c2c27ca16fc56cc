// The folder that profiles lie in: private to its user.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace duoblas {

/// Who is to own what is made, as user and group, for a program that runs under sudo; nothing:
/// whoever runs it.
using FileOwner = std::optional<std::pair<unsigned, unsigned>>;

/// Makes the directory and those above it where they are missing; only their owner may enter.
/// \throws SettingError.
void make_profile_directory(const std::string& directory, const FileOwner& owner = std::nullopt);

/// Makes the directory where needed and tries whether it can be written, so that a tuning is not
/// lost at its end. \throws SettingError.
void prepare_profile_directory(const std::string& directory);

}  // namespace duoblas

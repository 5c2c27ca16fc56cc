// Profiles that may be used in place of a missing one: this user's, and those that come with the
// library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace duoblas {

/// The texts of tuner/profiles/*.json, compiled into the library (cmake/EmbedProfiles.cmake).
std::span<const std::string_view> shipped_profiles();

/// The legal profiles of the directory, by name, then the shipped ones. Damaged ones are left out:
/// that is reported when their own machine asks for them. Never throws.
std::vector<Profile> profile_candidates(const std::string& directory);

}  // namespace duoblas

// Profiles that may stand in: those of this user, and those that came with the library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace duoblas {

/// The texts of tuner/profiles/*.json, compiled into the library (cmake/EmbedProfiles.cmake).
std::span<const std::string_view> shipped_profiles();

/// The whole and legal ones of the directory's profiles, by name, then the shipped ones. What is
/// damaged is left out: it is reported where its own machine asks for it. Never throws.
std::vector<Profile> profile_candidates(const std::string& directory);

}  // namespace duoblas

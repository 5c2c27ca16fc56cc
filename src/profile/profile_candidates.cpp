// The profiles that may stand in: the user's own, and those that are compiled in.
#include "profile/profile_match.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "os/files.hpp"

namespace duoblas {
namespace {

// They are read at the first call of an untuned machine, each in milliseconds.
constexpr std::size_t most_files = 64;

std::vector<std::string> profile_paths(const std::string& directory) {
  std::vector<std::string> paths;
  for_each_name(directory, [&](std::string_view name) {
    if (name.ends_with(".json")) paths.push_back(directory + "/" + std::string(name));
  });
  std::sort(paths.begin(), paths.end());
  paths.resize(std::min(paths.size(), most_files));
  return paths;
}

std::optional<Profile> usable(std::string_view text) {
  try {
    return profile_from_json(std::string(text));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> text_of(const std::string& path) {
  try {
    return read_profile_file(path);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Profile> profile_candidates(const std::string& directory) {
  std::vector<Profile> candidates;
  try {
    const auto add = [&](std::string_view text) {
      if (auto profile = usable(text)) candidates.push_back(std::move(*profile));
    };
    if (!directory.empty())
      for (const std::string& path : profile_paths(directory))
        if (const auto text = text_of(path)) add(*text);
    for (const std::string_view text : shipped_profiles()) add(text);
  } catch (const std::exception&) {
    // Short memory: with fewer candidates the answers are as right.
  }
  return candidates;
}

}  // namespace duoblas

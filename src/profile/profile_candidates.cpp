// The profiles that may stand in: the user's own, and those that are compiled in.
#include "profile/profile_match.hpp"

#include <dirent.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

namespace duoblas {
namespace {

// They are read at the first call of an untuned machine, each in milliseconds.
constexpr std::size_t most_files = 64;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Not std::filesystem::directory_iterator: GCC 12's ends the process where memory is short.
std::vector<std::string> profile_paths(const std::string& directory) {
  std::vector<std::string> paths;
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
  if (!open) return paths;  // no directory: no profiles
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name.ends_with(".json")) paths.push_back(directory + "/" + std::string(name));
  }
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

#include "plan/profile_candidates.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>

namespace duoblas {
namespace {

namespace fs = std::filesystem;

// They are read at the first call of an untuned machine, each in milliseconds.
constexpr std::size_t most_files = 64;

std::vector<fs::path> profile_paths(const std::string& directory) {
  std::vector<fs::path> paths;
  std::error_code error;  // no directory: no profiles
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json") paths.push_back(at->path());
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

std::optional<std::string> text_of(const fs::path& path) {
  try {
    return read_profile_file(path.string());
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
      for (const fs::path& path : profile_paths(directory))
        if (const auto text = text_of(path)) add(*text);
    for (const std::string_view text : shipped_profiles()) add(text);
  } catch (const std::exception&) {
    // Short memory: with fewer candidates the answers are as right.
  }
  return candidates;
}

}  // namespace duoblas

#include "cli/profile_folder.hpp"

#include <algorithm>
#include <system_error>

#include "cli/arguments.hpp"
#include "engine/engine.hpp"

namespace duoblas::cli {

namespace fs = std::filesystem;

fs::path profile_folder() {
  const Settings settings = settings_from_environment();
  if (settings.profile_dir.empty()) {
    throw Error("there is no folder for profiles: set DUOBLAS_PROFILE_DIR");
  }
  return settings.profile_dir;
}

fs::path chosen_profile(const std::string& name) {
  if (name.empty()) {
    Engine engine(settings_from_environment());
    if (engine.gpu() == nullptr) {
      throw Error("this machine needs no profile, the CPU does everything: " +
                  engine.facts().gpu_problem());
    }
    return profile_folder() / profile_file_name(engine.facts().profile_key());
  }
  const fs::path given = name;
  return given.has_parent_path() ? given : profile_folder() / given;
}

std::vector<fs::path> stored_profiles() {
  std::vector<fs::path> files;
  std::error_code missing;  // no folder yet: no profiles
  for (const auto& entry : fs::directory_iterator(profile_folder(), missing)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string profile_text(const fs::path& path) {
  try {
    const auto text = read_profile_file(path.string());
    if (!text) throw SettingError("there is no such file");
    if (text->empty()) throw SettingError("it is empty");
    return *text;
  } catch (const SettingError& error) {
    throw Error("cannot read the profile " + path.string() + ": " + error.what());
  }
}

std::string profile_problem(const fs::path& path) {
  try {
    const Profile profile = profile_from_json(profile_text(path));
    if (profile_file_name(profile.key) != path.filename().string()) {
      return "its name is not that of the machine it is for (" + profile_file_name(profile.key) +
             "), so it is never found";
    }
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<MachineIdentity> this_machine() try {
  Engine engine(settings_from_environment());
  if (engine.gpu() == nullptr) return std::nullopt;
  return MachineIdentity{engine.facts().profile_key(), engine.facts().profile_origin()};
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace duoblas::cli

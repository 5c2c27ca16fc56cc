#include "profile/profile_directory.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <duoblas/error.hpp>

#include "os/file_status.hpp"
#include "os/files.hpp"

namespace duoblas {
namespace {

constexpr const char* cure = "; set DUOBLAS_PROFILE_DIR to a directory that can be written";

void make_directories(const std::filesystem::path& directory, const FileOwner& owner) {
  if (directory.empty()) return;
  if (const auto status = file_status(directory.c_str())) {
    if (status->is_folder) return;
    throw SettingError("cannot store the profile: " + directory.string() + " is not a directory");
  }
  if (directory.has_parent_path() && directory.parent_path() != directory)
    make_directories(directory.parent_path(), owner);
  if (make_folder(directory.string())) {
    if (owner && !give_file(directory.string(), owner->first, owner->second))
      throw SettingError("cannot give " + directory.string() +
                         " to its user: " + std::strerror(errno));
  } else if (errno != EEXIST) {
    throw SettingError("cannot make the directory " + directory.string() + ": " +
                       std::strerror(errno) + cure);
  }
}

}  // namespace

void make_profile_directory(const std::string& directory, const FileOwner& owner) {
  if (directory.empty())
    throw SettingError("there is no directory for profiles: set DUOBLAS_PROFILE_DIR");
  make_directories(std::filesystem::path(directory).lexically_normal(), owner);
}

void prepare_profile_directory(const std::string& directory) {
  make_profile_directory(directory);
  std::string trial = (std::filesystem::path(directory) / "trial.XXXXXX").string();
  const FileDescriptor file(make_temporary_file(trial));
  if (file.get() < 0)
    throw SettingError("cannot write to " + directory + ": " + std::strerror(errno) + cure);
  remove_file(trial);
}

std::uint64_t state_of_profiles(const std::string& directory) {
  std::uint64_t sum = 0;
  for_each_name(directory, [&](std::string_view name) {
    if (!name.ends_with(".json")) return;
    if (const auto status = file_status(directory + "/" + std::string(name)))
      sum += static_cast<std::uint64_t>(status->changed) * 1'000'000'000 +
             static_cast<std::uint64_t>(status->changed_nanoseconds);
  });
  return sum;
}

}  // namespace duoblas

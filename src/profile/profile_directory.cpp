#include "profile/profile_directory.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

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
  std::error_code error;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code removed;  // meanwhile
    if (at->path().extension() == ".json")
      sum += static_cast<std::uint64_t>(at->last_write_time(removed).time_since_epoch().count());
  }
  return sum;
}

}  // namespace duoblas

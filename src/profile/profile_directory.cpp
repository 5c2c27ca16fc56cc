#include "profile/profile_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <duoblas/error.hpp>

#include "os/file_descriptor.hpp"

namespace duoblas {
namespace {

constexpr const char* cure = "; set DUOBLAS_PROFILE_DIR to a directory that can be written";

void make_directories(const std::filesystem::path& directory, const FileOwner& owner) {
  if (directory.empty()) return;
  struct stat status = {};
  if (::stat(directory.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return;
    throw SettingError("cannot store the profile: " + directory.string() + " is not a directory");
  }
  if (directory.has_parent_path() && directory.parent_path() != directory)
    make_directories(directory.parent_path(), owner);
  if (::mkdir(directory.c_str(), 0700) == 0) {
    if (owner && ::lchown(directory.c_str(), owner->first, owner->second) != 0)
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
  const FileDescriptor file(::mkostemp(trial.data(), O_CLOEXEC));
  if (file.get() < 0)
    throw SettingError("cannot write to " + directory + ": " + std::strerror(errno) + cure);
  ::unlink(trial.c_str());
}

}  // namespace duoblas

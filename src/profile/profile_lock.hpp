// One process at a time changes a profile: two tunings of one machine would measure each other.
#pragma once

#include <optional>
#include <string>

#include "os/file_descriptor.hpp"
#include "profile/profile_directory.hpp"

namespace duoblas {

/// An advisory lock (flock) on one profile: the file `<profile name>.lock` beside it. The file
/// holds its holder's process id and is removed on release. The lock ends with this object, or with
/// the process, however that ends. If the file system has no locks, everyone holds it.
class ProfileLock {
 public:
  /// Tries to take it, without waiting; held() says whether that succeeded. Makes the directory if
  /// it is missing. `profile_name`: the result of profile_file_name(). \throws SettingError if the
  /// lock's file cannot be made, or is not a file of this user.
  ProfileLock(const std::string& directory, const std::string& profile_name,
              const FileOwner& owner = std::nullopt);
  ProfileLock(ProfileLock&&) noexcept = default;
  ProfileLock& operator=(ProfileLock&&) = delete;
  ~ProfileLock();

  bool held() const { return file_.get() >= 0; }
  /// The process that holds it if this object does not; 0: unknown.
  int holder() const { return holder_; }
  /// \throws SettingError "another tuning of this machine is under way (process N)" unless held.
  void require_held() const;

  const std::string& directory() const { return directory_; }
  const std::string& profile_name() const { return profile_name_; }

 private:
  bool attempt(const std::string& path, const FileOwner& owner);

  std::string directory_;
  std::string profile_name_;
  FileDescriptor file_;
  int taken_by_ = 0;
  int holder_ = 0;
};

}  // namespace duoblas

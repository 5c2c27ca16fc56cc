// One process at a time changes a profile: two tunings of one machine would measure each other.
#pragma once

#include <sys/types.h>

#include <string>

#include "profile/file_descriptor.hpp"
#include "profile/profile_directory.hpp"

namespace duoblas {

/// An advisory lock (flock) on one profile: the file `<profile name>.lock` beside it, which holds
/// the process id of its holder and is gone when it is released. It ends with this object, or with
/// the process, however that ends. Where the file system knows no locks, it is held by everyone.
class ProfileLock {
 public:
  /// Tries to take it, without waiting; held() says whether that went well. Makes the directory
  /// where it is missing. `profile_name`: as profile_file_name() gives it.
  /// \throws SettingError where the lock's file cannot be made, or is no file of this user.
  ProfileLock(const std::string& directory, const std::string& profile_name,
              const FileOwner& owner = std::nullopt);
  ProfileLock(ProfileLock&&) noexcept = default;
  ProfileLock& operator=(ProfileLock&&) = delete;
  ~ProfileLock();

  bool held() const { return file_.get() >= 0; }
  /// The process that has it where this object does not; 0: it did not say.
  pid_t holder() const { return holder_; }
  /// \throws SettingError "another tuning of this machine is under way (process N)" unless held.
  void require_held() const;

  const std::string& directory() const { return directory_; }
  const std::string& profile_name() const { return profile_name_; }

 private:
  bool attempt(const std::string& path, const FileOwner& owner);

  std::string directory_;
  std::string profile_name_;
  FileDescriptor file_;
  pid_t taken_by_ = 0;
  pid_t holder_ = 0;
};

}  // namespace duoblas

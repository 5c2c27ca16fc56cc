#include "profile/profile_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

std::string lock_path(const std::string& directory, const std::string& profile_name) {
  return (std::filesystem::path(directory) / (profile_name + ".lock")).string();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw SettingError("cannot lock the profile with " + path + ": " + why);
}

// Under sudo, root may find a lock that belongs to the user. A file with a second name may be any
// file, and must not be written to.
void require_own_file(const struct stat& status, const std::string& path) {
  if (!S_ISREG(status.st_mode)) refuse(path, "this is not a regular file; remove it");
  if ((::geteuid() != 0 && status.st_uid != ::geteuid()) || status.st_nlink > 1)
    refuse(path, "it is another user's or another file's; remove it");
}

pid_t written_pid(int file) {
  char text[16];
  const ssize_t got = ::pread(file, text, sizeof text, 0);
  pid_t pid = 0;
  if (got > 0) std::from_chars(text, text + got, pid);
  return pid > 0 ? pid : 0;
}

void write_pid(int file, pid_t pid) {
  const std::string text = std::to_string(pid) + "\n";
  // The holder's number is for information only: a full disk must not prevent locking.
  if (::ftruncate(file, 0) != 0) return;
  [[maybe_unused]] const ssize_t wrote = ::pwrite(file, text.data(), text.size(), 0);
}

bool is_still(const struct stat& opened, const std::string& path) {
  struct stat now = {};
  return ::lstat(path.c_str(), &now) == 0 && now.st_dev == opened.st_dev &&
         now.st_ino == opened.st_ino;
}

}  // namespace

ProfileLock::ProfileLock(const std::string& directory, const std::string& profile_name,
                         const FileOwner& owner)
    : directory_(directory), profile_name_(profile_name) {
  make_profile_directory(directory, owner);
  const std::string path = lock_path(directory, profile_name);
  // Its last holder may remove the file between our opening and locking it: then it locks nothing.
  constexpr int enough = 100;
  for (int i = 0; i < enough; ++i)
    if (attempt(path, owner)) return;
  refuse(path, "the file comes and goes");
}

// Returns true if it is known who holds the lock: this object or another process.
bool ProfileLock::attempt(const std::string& path, const FileOwner& owner) {
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (file.get() < 0) {
    if (errno == ENOENT) return false;  // the directory was removed
    refuse(path, errno == ELOOP ? "this is a symbolic link; remove it" : std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) refuse(path, std::strerror(errno));
  require_own_file(status, path);
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      holder_ = written_pid(file.get());
      return true;
    }
    break;  // a file system without locks
  }
  if (!is_still(status, path)) return false;
  if (owner && ::fchown(file.get(), owner->first, owner->second) != 0)
    refuse(path, std::string("cannot give it to its user: ") + std::strerror(errno));
  taken_by_ = ::getpid();
  write_pid(file.get(), taken_by_);
  file_ = std::move(file);
  return true;
}

// A forked child shares the lock, but only its parent releases it.
ProfileLock::~ProfileLock() {
  if (held() && taken_by_ == ::getpid()) ::unlink(lock_path(directory_, profile_name_).c_str());
}

void ProfileLock::require_held() const {
  if (held()) return;
  throw SettingError("another tuning of this machine is under way" +
                     (holder_ > 0 ? " (process " + std::to_string(holder_) + ")" : std::string()) +
                     ": wait for it to end, or stop it");
}

}  // namespace duoblas

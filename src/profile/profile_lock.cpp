#include "profile/profile_lock.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include <duoblas/error.hpp>

#include "os/file_lock.hpp"
#include "os/file_status.hpp"
#include "os/files.hpp"
#include "os/process.hpp"

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
void require_own_file(const FileStatus& status, const std::string& path) {
  if (!status.is_regular) refuse(path, "this is not a regular file; remove it");
  if ((effective_user() != root_user && status.user != effective_user()) || status.links > 1)
    refuse(path, "it is another user's or another file's; remove it");
}

int written_pid(int file) {
  const std::string text = text_at_start(file, 16);
  int pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid > 0 ? pid : 0;
}

bool is_still(const FileStatus& opened, const std::string& path) {
  const auto now = link_status(path);
  return now && now->is_same_file(opened);
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
  FileDescriptor file(open_file(path, Opened::as_own_lock));
  if (file.get() < 0) {
    if (errno == ENOENT) return false;  // the directory was removed
    refuse(path, errno == ELOOP ? "this is a symbolic link; remove it" : std::strerror(errno));
  }
  const auto status = file_status(file.get());
  if (!status) refuse(path, std::strerror(errno));
  require_own_file(*status, path);
  if (try_lock(file.get()) == LockAttempt::held_by_another) {
    holder_ = written_pid(file.get());
    return true;
  }
  if (!is_still(*status, path)) return false;
  if (owner && !give_file(file.get(), owner->first, owner->second))
    refuse(path, std::string("cannot give it to its user: ") + std::strerror(errno));
  taken_by_ = process_id();
  // The holder's number is for information only: a full disk must not prevent locking.
  (void)replace_text(file.get(), std::to_string(taken_by_) + "\n");
  file_ = std::move(file);
  return true;
}

// A forked child shares the lock, but only its parent releases it.
ProfileLock::~ProfileLock() {
  if (held() && taken_by_ == process_id()) remove_file(lock_path(directory_, profile_name_));
}

void ProfileLock::require_held() const {
  if (held()) return;
  throw SettingError("another tuning of this machine is under way" +
                     (holder_ > 0 ? " (process " + std::to_string(holder_) + ")" : std::string()) +
                     ": wait for it to end, or stop it");
}

}  // namespace duoblas

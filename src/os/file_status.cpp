#include "os/file_status.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace duoblas {
namespace {

FileStatus told(const struct stat& found) {
  FileStatus status;
  status.is_folder = S_ISDIR(found.st_mode);
  status.is_regular = S_ISREG(found.st_mode);
  status.others_may_write = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  status.sets_user = (found.st_mode & S_ISUID) != 0;
  status.sets_group = (found.st_mode & S_ISGID) != 0;
  status.user = found.st_uid;
  status.group = found.st_gid;
  status.bytes = static_cast<std::uint64_t>(found.st_size);
  status.links = found.st_nlink;
  status.changed = found.st_mtim.tv_sec;
  status.changed_nanoseconds = found.st_mtim.tv_nsec;
  status.device = found.st_dev;
  status.number = found.st_ino;
  return status;
}

}  // namespace

std::optional<FileStatus> file_status(const char* path) noexcept {
  struct stat found {};
  if (::stat(path, &found) != 0) return std::nullopt;
  return told(found);
}

std::optional<FileStatus> link_status(const std::string& path) noexcept {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return std::nullopt;
  return told(found);
}

std::optional<FileStatus> file_status(int descriptor) noexcept {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return std::nullopt;
  return told(found);
}

bool may(FileRight right, const std::string& path) noexcept {
  const int mode = right == FileRight::see     ? F_OK
                   : right == FileRight::read  ? R_OK
                   : right == FileRight::write ? W_OK
                                               : X_OK;
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

}  // namespace duoblas

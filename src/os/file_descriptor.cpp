#include "os/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace duoblas {
namespace {

// Programs get the lowest numbers that are free. select() takes numbers below FD_SETSIZE only, so
// none of those is used up where the program may have more. The kernel's table grows with the
// largest number, and each fork copies it: so ours are not at the very end of a large limit.
int lowest_of_lasting() {
  rlimit limit{};
  constexpr rlim_t room = 64;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= FD_SETSIZE + room)
    return FD_SETSIZE;
  return static_cast<int>(limit.rlim_cur - limit.rlim_cur / 16);
}

// Below 0: no such number is free.
int moved(int opened, int lowest) {
  const int other = ::fcntl(opened, F_DUPFD_CLOEXEC, lowest);
  const int error = errno;
  if (other >= 0 || opened <= STDERR_FILENO) ::close(opened);
  errno = error;
  return other;
}

}  // namespace

FileDescriptor::FileDescriptor(int opened) noexcept {
  struct stat file {};
  if (opened < 0) return;
  number_ = opened > STDERR_FILENO ? opened : moved(opened, STDERR_FILENO + 1);
  if (number_ < 0 || ::fstat(number_, &file) != 0) return;
  device_ = file.st_dev;
  inode_ = file.st_ino;
}

FileDescriptor FileDescriptor::lasting(int opened) noexcept {
  FileDescriptor file(opened);
  // The limit may be very low, or all numbers that high may be used.
  if (file.number_ >= 0)
    if (const int high = moved(file.number_, lowest_of_lasting()); high >= 0) file.number_ = high;
  return file;
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept {
  *this = std::move(other);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  close();
}

int FileDescriptor::get() const noexcept {
  struct stat file {};
  if (number_ < 0) return -1;
  const int error = errno;
  if (::fstat(number_, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_)
    return number_;
  errno = error;
  return -1;
}

void FileDescriptor::close() noexcept {
  const int number = get();
  if (number >= 0) ::close(number);
  number_ = -1;
}

bool write_all(int descriptor, const void* from, std::size_t bytes) noexcept {
  for (const auto* next = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t put = ::write(descriptor, next, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    next += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

ssize_t read_all(int descriptor, void* to, std::size_t bytes) noexcept {
  ssize_t have = 0;
  while (static_cast<std::size_t>(have) < bytes) {
    const ssize_t got =
        ::read(descriptor, static_cast<char*>(to) + have, bytes - static_cast<std::size_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += got;
  }
  return have;
}

}  // namespace duoblas

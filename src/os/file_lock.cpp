#include "os/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

namespace duoblas {
namespace {

// A lock of an open file, not of the process.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

LockAttempt try_lock(int descriptor) noexcept {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return errno == EWOULDBLOCK ? LockAttempt::held_by_another : LockAttempt::impossible;
  }
  return LockAttempt::taken;
}

LockAttempt wait_for_lock(int descriptor, std::chrono::milliseconds most_wait) noexcept {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point last = Clock::now() + most_wait;
  for (;;) {
    const LockAttempt attempt = try_lock(descriptor);
    if (attempt != LockAttempt::held_by_another || Clock::now() >= last) return attempt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void unlock(int descriptor) noexcept {
  (void)::flock(descriptor, LOCK_UN);
}

bool join_file_users(int descriptor) noexcept {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

bool has_other_users(int descriptor) noexcept {
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace duoblas

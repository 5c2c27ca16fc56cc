// Where a program's files may not grow (RLIMIT_FSIZE), a write beyond that is to fail like one on a
// full disk, for drivers' files and for ours. Unless it is blocked, a signal ends the program.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace duoblas::cl {

/// Blocks that signal (SIGXFSZ) for the calling thread, and for threads that are started in this
/// scope, such as a driver's.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    was_pending_ = is_pending();
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  // What came meanwhile was for what was written here.
  ~FileSizeSignalBlocked() {
    const timespec at_once{};
    if (!was_pending_ && is_pending()) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalBlocked(const FileSizeSignalBlocked&) = delete;
  FileSizeSignalBlocked& operator=(const FileSizeSignalBlocked&) = delete;

 private:
  static bool is_pending() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGXFSZ) == 1;
  }

  sigset_t signal_, before_;
  bool was_pending_ = false;
};

}  // namespace duoblas::cl

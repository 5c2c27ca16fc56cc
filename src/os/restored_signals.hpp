// Drivers set signal handlers of their own: PoCL (its LLVM) where it lists its devices, Intel's
// runtime where a context is made, 15 each, for SIGINT, SIGTERM and SIGSEGV too. They end
// the process where the program has a handler that goes on.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <vector>

namespace duoblas {

/// At its end, signals have the actions again that they had at its beginning, where a driver has
/// changed them: where the handler lies in a library that was loaded in this scope, or in an
/// earlier one. What another thread has set meanwhile stays. The calling thread has its mask and
/// its alternate stack again.
class RestoredSignals {
 public:
  RestoredSignals() noexcept;
  ~RestoredSignals();
  RestoredSignals(const RestoredSignals&) = delete;
  RestoredSignals& operator=(const RestoredSignals&) = delete;

 private:
  void put_back_actions() const noexcept;

  std::array<struct sigaction, NSIG> actions_;
  std::vector<std::uintptr_t> loaded_;  ///< where they begin; empty: memory is short
  stack_t alternate_stack_;
  sigset_t mask_;
};

/// Where a program's files may not grow (RLIMIT_FSIZE), a write beyond that is to fail like one on
/// a full disk, for drivers' files and for ours. Unless it is blocked, a signal ends the program.
///
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

}  // namespace duoblas

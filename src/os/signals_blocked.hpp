// Keeps the host's signal handlers off our threads: they are to run on the host's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace duoblas {

/// Threads that are started in this scope begin with every signal blocked, except those that a
/// thread raises by its own fault. If such a signal is blocked, it ends the process without calling
/// the host's handler, and a host may depend on that handler (memory that it maps on first touch).
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace duoblas

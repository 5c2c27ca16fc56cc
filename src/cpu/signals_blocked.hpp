// The host's signal handlers are to run on the host's threads, which ours are not.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace duoblas {

/// Threads that are started meanwhile begin with every signal blocked, but for those that a thread
/// brings upon itself: blocked, they end the process without the host's handler, and a host may
/// live by them (memory that it maps where it is touched).
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

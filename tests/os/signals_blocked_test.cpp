// Which signals our threads still get.
#include "os/signals_blocked.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace duoblas {
namespace {

sigset_t blocked_now() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return blocked;
}

TEST(SignalsBlocked, LeavesAThreadThoseThatItBringsUponItself) {
  sigset_t inside;
  const sigset_t before = blocked_now();
  {
    const SignalsBlocked for_new_threads;
    std::thread([&] { inside = blocked_now(); }).join();
  }
  for (const int number : {SIGINT, SIGTERM, SIGALRM, SIGPROF, SIGCHLD, SIGUSR1})
    EXPECT_EQ(sigismember(&inside, number), 1) << number;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    EXPECT_EQ(sigismember(&inside, number), 0) << number;
  const sigset_t after = blocked_now();
  for (int number = 1; number < 32; ++number)
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << number;
}

}  // namespace
}  // namespace duoblas

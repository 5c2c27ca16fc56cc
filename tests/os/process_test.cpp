// Whether a process still runs.
#include "os/process.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(AProcess, RunsUntilItEndsThoughNobodyWaitedForIt) {
  EXPECT_TRUE(is_running(process_id()));
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_TRUE(is_running(child));
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(is_running(child)) << "a zombie";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_running(child));
}

#if !defined(__SANITIZE_THREAD__)  // which ends a process whose first thread has ended
// In a child whose first thread ends: tells the parent so, and waits for it.
void outlive_first_thread(int told, int end) {
  static const int ends[2] = {told, end};
  static const pthread_t first = ::pthread_self();
  const auto others = [](void*) -> void* {
    char byte = 0;
    ::pthread_join(first, nullptr);
    ::_exit(::write(ends[0], &byte, 1) == 1 && ::read(ends[1], &byte, 1) == 0 ? 0 : 1);
  };
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, others, nullptr) != 0) ::_exit(1);
  ::syscall(SYS_exit, 0);  // pthread_exit() would unwind the stack of the test
}

TEST(AProcess, RunsWhileAnyOfItsThreadsDoes) {
  int told[2] = {}, end[2] = {};
  ASSERT_EQ(::pipe(told), 0);
  ASSERT_EQ(::pipe(end), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(end[1]);
    outlive_first_thread(told[1], end[0]);
  }
  ::close(told[1]);
  char byte = 0;
  EXPECT_EQ(::read(told[0], &byte, 1), 1);
  EXPECT_TRUE(is_running(child));
  for (const int number : {told[0], end[0], end[1]}) ::close(number);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace duoblas

// Work on a stack of its own: results, exceptions, signals, forks.
#include "os/own_stack.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "os/fork_state.hpp"

namespace duoblas {
namespace {

// Twenty times what the thread below has.
[[gnu::noinline]] char last_of_a_large_frame() {
  std::array<volatile char, 4 << 20> frame;
  for (std::size_t i = 0; i < frame.size(); i += 1024) frame[i] = 1;
  return frame[frame.size() - 1024];
}

void* use_much_stack(void* seen) {
  *static_cast<char*>(seen) = on_own_stack(last_of_a_large_frame);
  return nullptr;
}

TEST(OwnStack, HasRoomThatTheCallersThreadHasNot) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, std::size_t{192} << 10);
  pthread_t thread;
  char seen = 0;
  ASSERT_EQ(pthread_create(&thread, &small, use_much_stack, &seen), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(seen, 1);
}

TEST(OwnStack, HandsResultsAndExceptionsOver) {
  EXPECT_EQ(on_own_stack([] { return std::string("a result"); }), "a result");
  EXPECT_THROW(on_own_stack([] { throw std::out_of_range("a failure"); }), std::out_of_range);
}

TEST(OwnStack, IsTheSameForWorkInsideOfWork) {
  const auto here = std::this_thread::get_id();
  on_own_stack([&] {
    const auto inside = std::this_thread::get_id();
    EXPECT_NE(inside, here);
    on_own_stack([&] { EXPECT_EQ(std::this_thread::get_id(), inside); });
  });
}

std::thread::id worked_in;

void work_in_constructor() {
  on_own_stack([] {
    if (void* const program = ::dlopen(nullptr, RTLD_LAZY)) ::dlclose(program);
    worked_in = std::this_thread::get_id();
  });
}

// A thread of ours would wait for the loader as long as the caller waits for that thread.
TEST(OwnStack, IsTheCallersInAConstructor) {
  const auto address = std::to_string(reinterpret_cast<std::uintptr_t>(&work_in_constructor));
  ::setenv("DUOBLAS_TEST_CALLED", address.c_str(), 1);
  ASSERT_NE(::dlopen(CALLING_CONSTRUCTOR, RTLD_NOW), nullptr);
  ::unsetenv("DUOBLAS_TEST_CALLED");
  EXPECT_EQ(worked_in, std::this_thread::get_id());
}

TEST(OwnStack, GetsNoneOfTheProgramsSignals) {
  sigset_t blocked;
  on_own_stack([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  for (const int number : {SIGINT, SIGTERM, SIGALRM, SIGCHLD})
    EXPECT_EQ(sigismember(&blocked, number), 1) << number;
}

bool a_fork_is_under_way() {
  bool is_open = true;
  std::thread([&] { is_open = static_cast<bool>(ForkGuardIfOpen()); }).join();
  return !is_open;
}

TEST(OwnStack, KeepsForksWaitingAndNeedNotWaitForThem) {
  watch_forks();
  std::atomic<bool> has_ended{false};
  bool ended_before_fork = false;
  std::thread forks;
  on_own_stack([&] {
    forks = std::thread([&] {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(0);
      ended_before_fork = has_ended;
      ::waitpid(child, nullptr, 0);
    });
    while (!a_fork_is_under_way()) std::this_thread::yield();
    const ForkGuard of_work;
    has_ended = true;
  });
  forks.join();
  EXPECT_TRUE(ended_before_fork);
}

}  // namespace
}  // namespace duoblas

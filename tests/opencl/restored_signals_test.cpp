// A program's signal handlers after a driver has started.
#include "os/restored_signals.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "opencl/handles.hpp"
#include "support/first_device.hpp"

namespace duoblas::cl {
namespace {

void handler(int) {}
void other_handler(int) {}

constexpr std::array kSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,
                                 SIGBUS,  SIGFPE,  SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,
                                 SIGALRM, SIGTERM, SIGCHLD, SIGXCPU, SIGXFSZ, SIGSYS};

struct sigaction action_of(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action;
}

void set_handlers() {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

bool are_as_set() {
  return std::ranges::all_of(kSignals, [](int signal) {
    const bool same =
        action_of(signal).sa_handler == handler && (action_of(signal).sa_flags & SA_RESTART) != 0;
    if (!same) std::fprintf(stderr, "SIG%s\n", sigabbrev_np(signal));
    return same;
  });
}

bool has_alternate_stack() {
  stack_t stack{};
  ::sigaltstack(nullptr, &stack);
  return (stack.ss_flags & SS_DISABLE) == 0;
}

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

// Ends the process: 0 if the driver has left the signals alone.
[[noreturn]] void start_a_driver() {
  set_handlers();
  const bool had_stack = has_alternate_stack();  // a sanitizer's
  const Device device = test::first_device();
  const Context context(device);
  (void)build_from_source(context, "__kernel void f(__global float* x) { x[0] = 1; }", "");
  ::_exit(are_as_set() && has_alternate_stack() == had_stack && !is_blocked(SIGUSR2) ? 0 : 1);
}

// In a process of its own, whose drivers nobody has started yet.
TEST(RestoredSignals, AreTheProgramsAfterADriversStart) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(start_a_driver(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void load_what_takes_signals() {
  set_handlers();
  const bool had_stack = has_alternate_stack();
  void (*take_again)() = nullptr;
  {
    const RestoredSignals as_they_are;
    void* const library = ::dlopen(HANDLER_SETTER, RTLD_NOW);
    if (library == nullptr) ::_exit(2);
    void* const function = ::dlsym(library, "take_again");
    std::memcpy(&take_again, &function, sizeof take_again);
    ::signal(SIGTERM, other_handler);
    ::signal(SIGPIPE, SIG_IGN);
  }
  if (has_alternate_stack() != had_stack || is_blocked(SIGUSR2)) ::_exit(3);
  if (action_of(SIGUSR1).sa_handler != handler) ::_exit(4);
  if (action_of(SIGTERM).sa_handler != other_handler) ::_exit(5);
  if (action_of(SIGPIPE).sa_handler != SIG_IGN) ::_exit(6);
  {
    const RestoredSignals as_they_are;
    take_again();
  }
  if (action_of(SIGUSR1).sa_handler != handler) ::_exit(7);
  take_again();  // as the program may wish
  { const RestoredSignals as_they_are; }
  ::_exit(action_of(SIGUSR1).sa_handler == handler ? 8 : 0);
}

TEST(RestoredSignals, LeavesWhatOthersThanNewLibrariesHaveSet) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(load_what_takes_signals(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace duoblas::cl

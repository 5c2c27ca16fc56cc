#include "os/fork_state.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace duoblas {
namespace {

// Constant-initialised and never destroyed: threads may compute while the process exits.
constinit std::atomic<int> active{0};  // threads with a ForkGuard
constinit std::atomic<int> closed{0};  // 1: a fork is under way
constinit std::atomic<unsigned> generation{0};
constinit std::atomic<bool> watching{false};
constinit std::atomic<pid_t> noted_process{0};
constinit std::atomic<void (*)()> rest_actions[4] = {};
constinit thread_local int depth = 0;         // nested ForkGuard of this thread
constinit thread_local bool forking = false;  // this thread closed the gate

// Forks of several threads take turns: one must not copy the process while another stops workers.
// The handlers may be registered more than once; the first call of each kind does the work. A fork
// inside a ForkGuard (in a signal handler, or in a driver that runs a compiler) cannot wait for
// that guard's work. It cannot wait for another fork either, since that fork waits for the same
// work.
void before_fork() {
  if (forking || depth > 0) return;
  int open = 0;
  while (!closed.compare_exchange_weak(open, 1)) {
    closed.wait(1);
    open = 0;
  }
  forking = true;
  for (int n = active.load(); n != 0; n = active.load()) active.wait(n);
  for (auto& slot : rest_actions)
    if (auto* action = slot.load()) action();
}

void after_fork_in_parent() {
  if (!forking) return;
  forking = false;
  closed.store(0);
  closed.notify_all();
}

// If the fork did not wait, each call counts one generation. Any but 0 means a child.
void after_fork_in_child() {
  if (!forking && depth == 0) return;
  forking = false;
  active.store(depth > 0 ? 1 : 0);
  closed.store(0);
  generation.fetch_add(1);
}

}  // namespace

void watch_forks() {
  // Not std::call_once: a fork in the middle of it would leave it locked in the child.
  if (!watching.exchange(true)) watch_forks_before_others();
}

void watch_forks_before_others() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child) == 0;
}

unsigned fork_generation() noexcept {
  return generation.load(std::memory_order_relaxed);
}

void note_process() noexcept {
  pid_t none = 0;
  noted_process.compare_exchange_strong(none, ::getpid());
}

bool is_other_process() noexcept {
  const pid_t noted = noted_process.load(std::memory_order_relaxed);
  return noted != 0 && noted != ::getpid();
}

namespace {

// False: the gate is closed.
bool enter() {
  if (depth == 0) {
    active.fetch_add(1);
    if (closed.load() != 0) {
      if (active.fetch_sub(1) == 1) active.notify_all();
      return false;
    }
  }
  ++depth;
  return true;
}

void leave() {
  if (--depth > 0) return;
  if (active.fetch_sub(1) == 1 && closed.load() != 0) active.notify_all();
}

}  // namespace

ForkGuard::ForkGuard() noexcept {
  while (!enter()) closed.wait(1);
}

ForkGuard::~ForkGuard() {
  leave();
}

ForkGuardOfWaiter::ForkGuardOfWaiter() noexcept {
  ++depth;
}

ForkGuardOfWaiter::~ForkGuardOfWaiter() {
  --depth;
}

ForkGuardIfOpen::ForkGuardIfOpen() noexcept : is_held_(enter()) {}

ForkGuardIfOpen::~ForkGuardIfOpen() {
  if (is_held_) leave();
}

void at_rest_before_fork(void (*action)()) noexcept {
  for (auto& slot : rest_actions) {
    void (*held)() = nullptr;
    if (slot.compare_exchange_strong(held, action) || held == action) return;
  }
}

}  // namespace duoblas

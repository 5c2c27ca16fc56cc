// fork() and threads: how a private CPU BLAS survives it.
//
// The C library of a private link namespace is not told of our process's forks, so nothing stops
// the BLAS's workers before one. A child would wait for threads that it does not have, in a product
// or at exit(). Therefore fork() waits at a gate here until no product is running (products come in
// pieces of bounded work, see pieces.hpp). Then the workers of every instance are stopped, and only
// then the process is copied. Parent and child both find instances at rest, with no thread and no
// lock taken, and start workers anew at the next product.
#pragma once

namespace duoblas {

/// Registers the fork handlers once. Cheap when called again.
void watch_forks();

/// Registers them once more, so that fork() waits for our products before it runs the handlers of a
/// library that was loaded since. OpenBLAS's own handler, in the host's namespace, waits for its
/// workers for ever if a product is running.
void watch_forks_before_others();

/// 0 in a process that was not forked since watch_forks(); grows by one with each generation of
/// children. Things that must not be used in a child (OpenCL, thread pools) check it.
unsigned fork_generation() noexcept;

/// Whether this is another process than the one that called note_process(). Unlike
/// fork_generation() it also notices a fork before or during the registration of the handlers. A
/// system call.
bool is_other_process() noexcept;
/// Only the first call has an effect.
void note_process() noexcept;

/// While a ForkGuard exists in some thread, fork() in another waits; while a fork is running,
/// making one waits. Scopes nest within a thread. Inside, a thread must not wait for another one
/// that forks or makes a ForkGuard, unless that one has a ForkGuardOfWaiter.
class ForkGuard {
 public:
  ForkGuard() noexcept;
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;
};

/// In a thread for which another one waits that has a ForkGuard: that one is this thread's, too.
class ForkGuardOfWaiter {
 public:
  ForkGuardOfWaiter() noexcept;
  ~ForkGuardOfWaiter();
  ForkGuardOfWaiter(const ForkGuardOfWaiter&) = delete;
  ForkGuardOfWaiter& operator=(const ForkGuardOfWaiter&) = delete;
};

/// A ForkGuard for who has another way: false, at once, while a fork is running. So a thread with a
/// ForkGuard may wait for one that makes this.
class ForkGuardIfOpen {
 public:
  ForkGuardIfOpen() noexcept;
  ~ForkGuardIfOpen();
  ForkGuardIfOpen(const ForkGuardIfOpen&) = delete;
  ForkGuardIfOpen& operator=(const ForkGuardIfOpen&) = delete;
  explicit operator bool() const { return is_held_; }

 private:
  const bool is_held_;
};

/// Handlers of each fork from now on, or null: before it, and after it in the parent and the child.
/// False: memory is short.
bool at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;

/// Called before each fork, when no ForkGuard exists and none can begin. At most four actions;
/// repeats of one count once.
void at_rest_before_fork(void (*action)()) noexcept;

}  // namespace duoblas

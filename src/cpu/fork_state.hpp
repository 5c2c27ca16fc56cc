// fork() and threads: how a private CPU BLAS survives it.
//
// The C library of a private link namespace never hears of our process's forks, so nothing stops
// the BLAS's workers for it: a child would wait for threads that it does not have, in a product or
// at exit(). Therefore fork() waits at a gate here until no product is under way (products come in
// pieces of bounded work, see pieces.hpp), then the workers of every instance are stopped, and only
// then the process is copied. Parent and child both find instances at rest, with no thread and no
// lock taken, and start workers anew at the next product.
#pragma once

namespace duoblas {

/// Registers the fork handlers once. Cheap when called again.
void watch_forks();

/// Registers them once more, so that fork() waits for our products before it runs the handlers of a
/// library loaded since: OpenBLAS's own, in the host's namespace, waits for its workers for ever
/// where a product is under way.
void watch_forks_before_others();

/// 0 in a process that was not forked since watch_forks(); grows by one with each generation of
/// children. What must not be used in a child (OpenCL, pools of threads) asks for this.
unsigned fork_generation() noexcept;

/// Whether this process is another one than that which called note_process(): also where it was
/// forked before or while the handlers were registered, when no generation is counted. A system
/// call.
bool is_other_process() noexcept;
/// The first call counts.
void note_process() noexcept;

/// While a ForkGuard exists in some thread, fork() in another waits; while a fork is under way,
/// making one waits. Scopes nest within a thread. Nothing inside may wait for another thread that
/// forks or that makes a ForkGuard.
class ForkGuard {
 public:
  ForkGuard() noexcept;
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;
};

/// Called before each fork, when no ForkGuard exists and none can begin. Four actions at most;
/// the same one again counts once.
void at_rest_before_fork(void (*action)()) noexcept;

}  // namespace duoblas

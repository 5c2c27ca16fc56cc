// What a private library shares with the host: memory, threads, and what a thread owns until it
// ends.
#pragma once

#include <pthread.h>

#include <span>

#include "os/symbol_redirection.hpp"

namespace duoblas {

/// Functions of the C library that a private copy of it must not have of its own. The copy's table
/// of keys and its caches of memory would belong to threads whose end it never hears of, and two
/// tables of keys would number the same values of a thread.
std::span<const Redirection> host_functions();

/// A C library prepares the threads that it starts. The threads that run a private library are the
/// host's, so they are prepared for its C library by this.
struct ThreadPreparation {
  void (*init_ctype)() = nullptr;  ///< or null: isalpha() and so on read no table of the thread
  unsigned bit = 0;                ///< of a namespace that stays; 0: prepared at each call

  /// Before a thread runs code of the namespace. Threads that this code starts are prepared, too.
  void apply() const noexcept;
};

/// What the library behind this dlopen handle asked its C library to do before a fork, and that C
/// library, which does not hear of the host's forks, never does. Null: nothing.
void (*before_fork_of(void* handle))();

/// The thread-specific keys of private libraries are the host's. Called after a library was
/// unloaded: deletes those whose destructors it had, and forgets what it wanted done before a fork.
void forget_unloaded_libraries();

/// Whether the process has as many keys left as a BLAS and its libraries may need. Some of these
/// end the program where they get none.
bool thread_keys_are_left();
inline constexpr const char* no_thread_keys_left =
    "the program uses all thread-specific keys (PTHREAD_KEYS_MAX)";

}  // namespace duoblas

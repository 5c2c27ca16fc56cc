// Work that may need more stack than the caller's thread has: a driver's start, its compiler.
//
// Threads of Java, of Go through C and of musl have 80 to 144 KiB; PoCL's start alone takes more.
// What is run on a thread of ours leaves nothing behind on the caller's either: no alternate signal
// stack, no changed mask.
#pragma once

#include <pthread.h>

#include <type_traits>
#include <utility>

namespace duoblas {

using OwnThread = pthread_t;

/// Starts a thread of ours: its stack has 8 MiB, or what new threads of this process have, if that
/// is more; signals are blocked there (SignalsBlocked). False: there is none.
bool start_own_thread(OwnThread& thread, void* (*run)(void*), void* argument) noexcept;
/// Waits until it ends.
void join_own_thread(OwnThread thread) noexcept;
/// Nobody waits for it.
void let_go_of(OwnThread thread) noexcept;

namespace own_stack {
/// Rethrows what `run` throws.
void run_and_wait(void (*run)(void*), void* work);
}  // namespace own_stack

/// Does `work` on a thread of ours and waits for it; returns what it returns, throws what it
/// throws. In a thread of ours, and if no thread can be started, it is done here. A fork waits as
/// if it were done here: a ForkGuard of the caller is that thread's, too. (Other variables of the
/// calling thread are not.)
///
/// The dynamic loader's lock may be the caller's (in a constructor of a library that is being
/// loaded): `work` would wait for it, and the caller for `work`. So the new thread takes that lock
/// once before it begins. If it has not got it within two seconds, the caller does the work itself.
template <typename Work>
auto on_own_stack(Work&& work) -> std::invoke_result_t<Work&> {
  using Result = std::invoke_result_t<Work&>;
  if constexpr (std::is_void_v<Result>) {
    own_stack::run_and_wait([](void* it) { (*static_cast<std::remove_reference_t<Work>*>(it))(); },
                            &work);
  } else {
    struct Both {
      std::remove_reference_t<Work>& work;
      Result result{};
    } both{work};
    own_stack::run_and_wait(
        [](void* it) {
          auto& of = *static_cast<Both*>(it);
          of.result = of.work();
        },
        &both);
    return std::move(both.result);
  }
}

}  // namespace duoblas

// The program's own BLAS, and the number of threads that it uses. Times with one BLAS tell nothing
// about another.
#pragma once

#include <cstdint>
#include <string>

namespace duoblas {

struct CallerBlas {
  const void* library = nullptr;  ///< an address in it; null: none
  int threads = 0;                ///< 0: unknown
};

/// Sets it for the calling thread's calls in this scope. The first library of the process is the
/// usual one.
class ScopedCallerBlas {
 public:
  explicit ScopedCallerBlas(const CallerBlas& blas) noexcept;
  ~ScopedCallerBlas();
  ScopedCallerBlas(const ScopedCallerBlas&) = delete;
  ScopedCallerBlas& operator=(const ScopedCallerBlas&) = delete;

 private:
  const CallerBlas before_;
};

/// Whether the calling thread is in such a scope.
bool has_caller_blas() noexcept;

/// 0: the calling thread is in no such scope, or its scope has the usual BLAS and number of
/// threads. Otherwise a number that identifies the scope's.
std::uint64_t unusual_caller_blas() noexcept;

/// The calling thread's call now goes to its scope's BLAS.
void note_call_of_caller_blas() noexcept;
/// Such a call has returned.
void note_return_of_caller_blas() noexcept;
/// Whether threads of that BLAS may still spin for its next call, each on a core, before they
/// sleep.
bool caller_blas_may_spin() noexcept;
/// The same, and whether some of them may sleep.
struct SpinningThreads {
  bool may_spin = false, may_sleep = false;
};
SpinningThreads threads_of_caller_blas() noexcept;
/// For how many seconds more they may spin; if they do not spin now, for how many after a call.
double seconds_of_spinning(bool now) noexcept;

/// A call of the program has ended in which our CPU side worked, whose BLAS has threads too.
void note_return_of_own_blas() noexcept;
/// Whether these may still spin. Beside them the program's BLAS is slow.
bool own_blas_may_spin() noexcept;

/// The usual one's file, size, modification time and threads; empty: there is none.
std::string usual_caller_blas();

}  // namespace duoblas

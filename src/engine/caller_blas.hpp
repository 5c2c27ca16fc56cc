// The BLAS that a program has beside us, and on how many threads it uses it: times of one tell
// nothing of another.
#pragma once

#include <cstdint>
#include <string>

namespace duoblas {

struct CallerBlas {
  const void* library = nullptr;  ///< an address in it; null: none
  int threads = 0;                ///< 0: it does not say
};

/// Of the calling thread's calls in this scope. The first library of the process is the usual one.
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

/// 0: the calling thread is in no such scope, or in one of the usual BLAS and number of threads;
/// else a number for this one.
std::uint64_t unusual_caller_blas() noexcept;

/// The calling thread's call goes to the BLAS of its scope now.
void note_call_of_caller_blas() noexcept;
/// Such a call has come back.
void note_return_of_caller_blas() noexcept;
/// Whether threads of that BLAS may still wait for its next call, each on a core, before they fall
/// asleep.
bool caller_blas_may_spin() noexcept;

/// A call of the program's has ended in which our CPU side worked, whose BLAS has threads as well.
void note_return_of_own_blas() noexcept;
/// Whether these may still spin: beside them the program's BLAS is slow.
bool own_blas_may_spin() noexcept;

/// The usual one's file, size, time of change and threads; empty: there is none.
std::string usual_caller_blas();

}  // namespace duoblas

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

/// 0: the calling thread is in no such scope, or its scope has the usual BLAS and number of
/// threads. Otherwise a number that identifies the scope's.
std::uint64_t unusual_caller_blas() noexcept;

/// The environment's part in how fast a program's BLAS is: the most common variables that choose
/// its library, kernels and threads. It is known before the library is loaded.
std::string blas_variables();
/// The usual one's file, size, modification time and threads, and blas_variables(); empty: there is
/// none.
std::string usual_caller_blas();

}  // namespace duoblas

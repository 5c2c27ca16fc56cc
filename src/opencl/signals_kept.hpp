// Drivers set signal handlers of their own: PoCL (its LLVM) where it lists its devices, Intel's
// runtime where a context is made, 15 each, for SIGINT, SIGTERM and SIGSEGV too. They end
// the process where the program has a handler that goes on.
#pragma once

#include <signal.h>

#include <array>
#include <cstdint>
#include <vector>

namespace duoblas::cl {

/// At its end, signals have the actions again that they had at its beginning, where a driver has
/// changed them: where the handler lies in a library that was loaded in this scope, or in an
/// earlier one. What another thread has set meanwhile stays. The calling thread has its mask and
/// its alternate stack again.
class SignalsKept {
 public:
  SignalsKept() noexcept;
  ~SignalsKept();
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  void put_back_actions() const noexcept;

  std::array<struct sigaction, NSIG> actions_;
  std::vector<std::uintptr_t> loaded_;  ///< where they begin; empty: memory is short
  stack_t alternate_stack_;
  sigset_t mask_;
};

}  // namespace duoblas::cl

// The times of the program's own BLAS before the device was started: evidence that costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/engine.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The times of the first classes of products (planner/learner.hpp) that a program does without
/// another call beside them. Thread-safe; allocates nothing.
class CallsBeforeStart {
 public:
  /// `at_most`: something else used cores meanwhile, so the time is an upper bound.
  void add(const GemmProblem& product, double seconds, bool at_most = false) noexcept;

  /// Passes them to the engine's learner, once, so that no call explores the CPU to find a time
  /// that is known: the last two times of each class; and of upper bounds only those that are
  /// shorter than expected. \pre the machine is open; the engine learns.
  void tell(Engine& engine) noexcept;

 private:
  struct Call {
    GemmProblem product;  ///< without its matrices
    double seconds = 0;   ///< 0: none
    bool at_most = false;
  };
  struct Calls {
    std::uint64_t kind = 0;  ///< 0: free
    Call last, before_last;
  };
  static void tell(Engine& engine, const Call& call, bool at_most);

  static constexpr std::size_t most_kinds = 64;  // HPL has 40

  std::mutex mutex_;
  std::array<Calls, most_kinds> kinds_;
};

/// The process's own.
CallsBeforeStart& calls_before_start();

}  // namespace duoblas

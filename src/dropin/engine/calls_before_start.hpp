// What the program's own BLAS took before the device was started: evidence that costs nobody
// anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/engine.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Times of the first classes of products (planner/learner.hpp) that a program does, with no other
/// call beside them. Thread-safe, and allocates nothing.
class CallsBeforeStart {
 public:
  /// `at_most`: something else took cores meanwhile.
  void add(const GemmProblem& product, double seconds, bool at_most = false) noexcept;

  /// The engine's learner hears of them, once, so that nobody looks at the CPU for a time that is
  /// known: of the last two of each class, or, of one that may have waited for something, where it
  /// was faster than is expected.
  /// \pre the machine is open; the engine learns.
  void tell(Engine& engine) noexcept;

 private:
  struct Call {
    GemmProblem product;  ///< without its matrices
    double seconds = 0;   ///< 0: there was none
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

/// The one of the process.
CallsBeforeStart& calls_before_start();

}  // namespace duoblas

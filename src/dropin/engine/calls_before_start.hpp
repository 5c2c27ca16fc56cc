// The calls that the program's own BLAS does because the device is not open, or lacks what they
// would launch. Their times are evidence that costs nothing, and what such calls launch is made
// ready for those that follow, in later runs too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "problem/blas_call.h"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// The first classes of calls (planner/learner.hpp). Thread-safe; allocates nothing.
class CallsBeforeStart {
 public:
  /// A call begins. Its matrices may be gone by the time that it is asked for, and are not touched.
  /// Of memory-bound calls nothing is kept.
  void note(const duoblas_blas_call& call) noexcept;
  /// A product ended that had no other call beside it. `at_most`: something else used cores
  /// meanwhile, so the time is an upper bound.
  void add(const GemmProblem& product, double seconds, bool at_most = false) noexcept;

  /// Of those that were noted, not to be carried out. Of a call that is no product, the one inside.
  std::optional<GemmProblem> largest_product() noexcept;
  /// Passes the times to the engine's learner, once, so that no call explores the CPU to find a
  /// time that is known: the last two times of each class; and of upper bounds only those that are
  /// shorter than expected. \pre the machine is open; the engine learns.
  void tell(Engine& engine) noexcept;
  /// Those that were noted, and the earlier run's, of each class the largest, for later runs.
  /// \throws std::bad_alloc.
  std::vector<KnownCall> known(const std::vector<CallNumbers>& earlier = {});
  /// Makes ready what such calls would launch, and those of earlier runs (Readiness::expect). Who
  /// lacks it would be the program's BLAS's, whose threads spin after each call. \pre as above;
  /// fork_generation() == 0.
  void expect(Engine& engine) noexcept;

 private:
  struct Time {
    GemmProblem product;  ///< without its matrices
    double seconds = 0;   ///< 0: none
    bool at_most = false;
  };
  struct Calls {
    std::uint64_t kind = 0;       ///< 0: free
    duoblas_blas_call call = {};  ///< the largest, without its memory
    Time last, before_last;
  };
  Calls* of(std::uint64_t kind) noexcept;  ///< null: there is no room
  static void tell(Engine& engine, const Time& time, bool at_most);
  static void expect(Engine& engine, const duoblas_blas_call& call);

  static constexpr std::size_t most_kinds = 64;  // HPL has 40

  std::mutex mutex_;
  std::array<Calls, most_kinds> kinds_;
};

/// The process's own.
CallsBeforeStart& calls_before_start();

}  // namespace duoblas

// The calls that the program's own BLAS does before the device is open: their times are evidence
// that costs nothing, and what they would launch is made ready for those that follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <variant>

#include "engine/engine.hpp"
#include "problem/blas_call.h"
#include "problem/gemm_problem.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

/// The first classes of calls (planner/learner.hpp). Thread-safe; allocates nothing.
class CallsBeforeStart {
 public:
  /// A call begins. Its matrices may be gone by the time that it is asked for, and are not touched.
  /// \pre it is not memory-bound.
  void note(const duoblas_blas_call& call) noexcept;
  /// A product ended that had no other call beside it. `at_most`: something else used cores
  /// meanwhile, so the time is an upper bound.
  void add(const GemmProblem& product, double seconds, bool at_most = false) noexcept;

  /// Of those that were noted, without its matrices. Of a call that is no product, the one inside.
  std::optional<GemmProblem> largest_product() noexcept;
  /// Passes the times to the engine's learner, once, so that no call explores the CPU to find a
  /// time that is known: the last two times of each class; and of upper bounds only those that are
  /// shorter than expected. \pre the machine is open; the engine learns.
  void tell(Engine& engine) noexcept;
  /// Makes ready what such calls would launch (Readiness::expect). Who lacks it would be the
  /// program's BLAS's, whose threads spin after each call. \pre as above; fork_generation() == 0.
  void expect(Engine& engine) noexcept;

 private:
  struct Time {
    GemmProblem product;  ///< without its matrices
    double seconds = 0;   ///< 0: none
    bool at_most = false;
  };
  struct Calls {
    std::uint64_t kind = 0;  ///< 0: free
    GemmProblem product;     ///< it, or the one inside
    std::variant<std::monostate, Level3Problem, LapackProblem> around;
    Time last, before_last;
  };
  Calls* of(std::uint64_t kind) noexcept;  ///< null: there is no room
  static void tell(Engine& engine, const Time& time, bool at_most);
  static void expect(Engine& engine, const Calls& calls);

  static constexpr std::size_t most_kinds = 64;  // HPL has 40

  std::mutex mutex_;
  std::array<Calls, most_kinds> kinds_;
};

/// The process's own.
CallsBeforeStart& calls_before_start();

}  // namespace duoblas

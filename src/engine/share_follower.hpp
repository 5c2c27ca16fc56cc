// DUOBLAS_ADAPT: the GPU's share follows the measured times of both sides, per class of shapes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engine/hybrid_gemm.hpp"
#include "engine/ratio_tracker.hpp"
#include "planner/plan.hpp"

namespace duoblas {

/// The loop: follow() before a call, observe() after it. A class is an element type, the ops, the
/// cut's axis, the arithmetic, and the powers of two between which m, n and k lie. What is kept per
/// class is how far the ratio of the two speeds is from the one that the plan's share is right for,
/// so that shapes of one class keep the differences between their plans. Only hybrid plans are
/// followed: CPU-only and GPU-only leave nothing to compare.
///
/// Memory is fixed. A class lives in one of four slots that its hash names; where all are taken
/// by others, the one that was used longest ago is forgotten and starts from its plan again.
/// Thread-safe; the lock is held for some arithmetic, never during a call.
class ShareFollower {
 public:
  /// The plan with the share that the class has come to: whole tiles, at least one on each side.
  /// `planned` itself where there is nothing to change.
  Plan follow(const GemmProblem& problem, const Plan& planned);

  /// What a call did that was planned as `planned` and gave the GPU `gpu_extent` rows or columns.
  /// Times that say nothing (not positive, not finite) are passed over.
  void observe(const GemmProblem& problem, const Plan& planned, std::int64_t gpu_extent,
               const Overlap& overlap);

  /// The GPU could not do its part (memory, say): this class keeps its plan from now on.
  void leave_alone(const GemmProblem& problem, const Plan& planned);

  /// Every class starts from its plan again: the plans are others now.
  void forget();

 private:
  static constexpr std::size_t ways = 4;
  static constexpr std::size_t sets = 64;

  struct Slot {
    std::uint64_t shape_class = 0;  ///< 0: free
    std::uint64_t last_use = 0;
    bool left_alone = false;
    RatioTracker tracker;
  };

  Slot* find(std::uint64_t shape_class);
  Slot& find_or_take(std::uint64_t shape_class);
  Slot* set_of(std::uint64_t shape_class);

  std::mutex mutex_;
  std::uint64_t uses_ = 0;
  std::array<Slot, sets * ways> slots_;
};

}  // namespace duoblas

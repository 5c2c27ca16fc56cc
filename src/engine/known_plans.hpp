// Remembers plans until something changes that they depend on. Planning a call takes microseconds;
// finding its plan takes a fraction of one, without a lock.
#pragma once

#include <cstdint>

#include "planner/plan.hpp"
#include "planner/planner.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Everything that a plan depends on.
struct PlanKey {
  Precision precision = Precision::s;
  Op op_a = Op::none, op_b = Op::none;
  bool overwrites_c = false, only_scales_c = false;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  std::uintptr_t c_offset = 0;  ///< offset of C in the driver's unit of sharing
  Strategy strategy = Strategy::automatic;
  MathMode math = MathMode::exact;
  Circumstances now;
  const PlanMachine* machine = nullptr;
  std::uint64_t learned = 0;  ///< CallLearner::changes()

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

PlanKey plan_key(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                 const Circumstances& now, std::uint64_t learned);

/// The calling thread's plan; null: none, or it must be made again. Every 32nd call makes it again,
/// because posteriors grow uncertain with time. Valid until the thread's next keep_plan().
const Plan* known_plan(const PlanKey& key) noexcept;
/// May replace another plan. Does nothing if memory is short.
void keep_plan(const PlanKey& key, const Plan& plan) noexcept;

}  // namespace duoblas

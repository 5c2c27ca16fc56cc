// Plans that hold until something that decided them changes: to plan a call takes microseconds, to
// find its plan a fraction of one, without a lock.
#pragma once

#include <cstdint>

#include "planner/plan.hpp"
#include "planner/planner.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// All that a plan depends on.
struct PlanKey {
  Precision precision = Precision::s;
  Op op_a = Op::none, op_b = Op::none;
  bool overwrites_c = false, only_scales_c = false;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  std::uintptr_t c_offset = 0;  ///< of C in what a driver shares
  Strategy strategy = Strategy::automatic;
  MathMode math = MathMode::exact;
  Circumstances now;
  const PlanMachine* machine = nullptr;
  std::uint64_t learned = 0;  ///< CallLearner::changes()

  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

PlanKey plan_key(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                 const Circumstances& now, std::uint64_t learned);

/// The calling thread's; null: not known, or to be made again, which every 32nd call is: what is
/// not looked at grows uncertain. Valid until the thread's next keep_plan().
const Plan* known_plan(const PlanKey& key) noexcept;
/// What another plan's place is needed for is forgotten, and this one where memory is short.
void keep_plan(const PlanKey& key, const Plan& plan) noexcept;

}  // namespace duoblas

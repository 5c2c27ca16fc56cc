// Plans of products that come again, and where their operands lie. To find them takes no lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "planner/plan.hpp"
#include "planner/planner.hpp"
#include "planner/recent_decisions.hpp"
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
std::size_t hash_of(const PlanKey& key);

PlanKey plan_key(const GemmProblem& problem, const PlanMachine& machine, const PlanRequest& request,
                 const Circumstances& now, std::uint64_t learned);

/// One in 64 calls makes its plan again, because posteriors grow uncertain with time.
inline constexpr RecentDecisions<PlanKey, Plan, 16> known_plans;

/// Whether an operand lies in registered memory. The registry is locked only for operands that are
/// new since a block was entered or left, and where one in 64 calls asks again.
bool has_registered_operand(const GemmProblem& problem);

}  // namespace duoblas

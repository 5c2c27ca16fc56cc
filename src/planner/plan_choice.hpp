// Turns tuned choices into plans for one problem: for one side, and with the partition that
// balances both.
#pragma once

#include "planner/call_estimate.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// CPU-only, on all cores.
Plan on_all_cores(const GemmProblem& problem, const PlanMachine& machine, Reason reason);

/// A choice of the nearest tuned point, made to fit this problem; the built-in one if nothing was
/// tuned.
TunedChoice choice_of(const CallEstimate* tuned, const TunedChoice TunedPoint::*member,
                      const GemmProblem& problem, const PlanMachine& machine);

/// How the GPU computes by this choice, for estimates.
GpuConfig gpu_config_of(const TunedChoice& choice, const GemmProblem& problem,
                        const PlanMachine& machine);

/// GPU-only, with the kernel that was tuned for that.
Plan gpu_plan(const GemmProblem& problem, const PlanMachine& machine, const CallEstimate* tuned,
              Reason reason);

/// The best partition by the estimates; the tuned share if no partition leaves both sides something
/// to do.
SplitCall best_partition(const CallEstimate& tuned, const TunedChoice& choice,
                         const GemmProblem& problem, const GpuConfig& gpu_config);

}  // namespace duoblas

// Who computes a product for somebody who asked for nothing.
#pragma once

#include <optional>

#include "planner/call_estimate.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// The fastest way by the cost model, and where `learned` is there by what calls showed, one that
/// may be faster now and then (way_choice.hpp); the cheapest at a shape that was tuned for energy.
/// `tuned` null: nothing was, and the CPU does it. `split`: of what both sides do.
Plan automatic_plan(const GemmProblem& problem, const PlanMachine& machine,
                    const CallEstimate* tuned, const std::optional<Share>& split,
                    const LearnedTimes* learned);

}  // namespace duoblas

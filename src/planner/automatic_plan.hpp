// Who computes a product if the user did not ask for a strategy.
#pragma once

#include <optional>

#include "planner/call_estimate.hpp"
#include "planner/planner.hpp"

namespace duoblas {

/// The fastest strategy by the cost model. With `learned`, what calls showed counts too, and now
/// and then a call explores a strategy that may be faster (strategy_choice.hpp). At a shape that
/// was tuned for energy: the strategy that costs least. `tuned` null: nothing was tuned, and the
/// CPU does it. `split`: the share if both sides work.
Plan automatic_plan(const GemmProblem& problem, const PlanMachine& machine,
                    const CallEstimate* tuned, const std::optional<Share>& split,
                    const LearnedTimes* learned);

/// Whether these estimates promise a gain by the device, alone or beside the CPU.
bool promises_gain(const GemmProblem& problem, const PlanMachine& machine,
                   const CallEstimate& tuned);

}  // namespace duoblas

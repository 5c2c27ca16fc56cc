// A product that was asked of both sides, on a machine that was never tuned.
#pragma once

#include "planner/planner.hpp"

namespace duoblas {

/// Without an estimate the sides count as equally fast, until calls show their times. Where the
/// slower side's share rounds to nothing, the other one has all, and shows nothing of it: then it
/// has the least part of a call now and then (is_try_due()).
Plan untuned_plan(const GemmProblem& problem, const PlanMachine& machine,
                  const LearnedTimes* learned);

/// The forecast of such a plan.
Forecast untuned_forecast(const GemmProblem& problem, const PlannedPartition& at);

}  // namespace duoblas

// The strategies that are compared, by name, as plans.
#pragma once

#include <string>
#include <vector>

#include "planner/planner.hpp"

namespace duoblas {

/// cpu, gpu, simple, hybrid, gpu_cotuned, cpu_all, auto: the order of every table.
const std::vector<std::string>& strategy_names();

/// Whether the strategy always uses the GPU.
bool uses_gpu(const std::string& strategy);

/// The plan of this strategy; `point`: the nearest tuned one, null for the built-in choice. "auto"
/// is what a call gets that asks for nothing, by the machine's own profile alone: Plans::of
/// knows of registered memory and of a GPU that was lost, too. \throws SettingError for an unknown
/// name.
Plan strategy_plan(const std::string& strategy, const GemmProblem& problem,
                   const PlanMachine& machine, const TunedPoint* point);

/// The whole of C by this choice's kernel.
TunedChoice gpu_only(TunedChoice choice);

}  // namespace duoblas

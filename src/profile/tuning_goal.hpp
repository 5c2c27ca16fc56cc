// What a tuning minimises.
#pragma once

#include <optional>
#include <string_view>

namespace duoblas {

/// Seconds, joules, or joules times seconds of a call.
enum class Goal { throughput, energy, energy_delay };

/// "throughput", "energy", "edp".
std::string_view name(Goal goal);
std::optional<Goal> goal_from(std::string_view name);

/// What a call is judged by: less is better. Infinite if joules are asked for and were not
/// measured.
double cost_of(double seconds, double joules, Goal goal);

}  // namespace duoblas

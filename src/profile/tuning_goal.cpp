#include "profile/tuning_goal.hpp"

#include <limits>

namespace duoblas {

std::string_view name(Goal goal) {
  switch (goal) {
    case Goal::throughput: return "throughput";
    case Goal::energy: return "energy";
    case Goal::energy_delay: return "edp";
  }
  return "";
}

std::optional<Goal> goal_from(std::string_view text) {
  for (const Goal goal : {Goal::throughput, Goal::energy, Goal::energy_delay})
    if (text == name(goal)) return goal;
  return std::nullopt;
}

double cost_of(double seconds, double joules, Goal goal) {
  if (goal == Goal::throughput) return seconds;
  if (!(joules > 0)) return std::numeric_limits<double>::infinity();
  return goal == Goal::energy ? joules : joules * seconds;
}

}  // namespace duoblas

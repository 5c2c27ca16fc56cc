#include "planner/least_cost_strategy.hpp"

#include <limits>

namespace duoblas {

Strategy least_cost_strategy(const TunedPoint& point) {
  const auto cost = [&](double seconds, double joules) {
    return seconds > 0 ? cost_of(seconds, joules, point.goal)
                       : std::numeric_limits<double>::infinity();
  };
  const double cpu = cost(point.cpu_all_seconds, point.cpu_all_joules);
  const double gpu = cost(point.gpu.seconds, point.gpu.joules);
  const double hybrid = cost(point.hybrid.seconds, point.hybrid.joules);
  if (cpu <= gpu && cpu <= hybrid) return Strategy::cpu;
  return gpu <= hybrid ? Strategy::gpu : Strategy::hybrid;
}

}  // namespace duoblas

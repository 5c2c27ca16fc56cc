// The cores for threads of a measurement that represents a CPU configuration.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/cpu_limits.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

struct SideCores {
  std::vector<int> cores;  ///< OS indices
  int threads = 1;
  friend bool operator==(const SideCores&, const SideCores&) = default;
};

/// The configuration's cores, or all allowed ones, with a thread on each as far as the limits
/// permit.
inline SideCores side_cores(const CpuLimits& limits, const CpuConfig& config) {
  SideCores side{config.cores.empty() ? limits.cores : config.cores, 1};
  side.threads = std::min<int>(limits.threads, static_cast<int>(side.cores.size()));
  return side;
}

/// The core of the i-th of `side.threads`: one thread per core if there are enough; otherwise the
/// system moves them.
inline std::vector<int> place_of_thread(const SideCores& side, std::size_t i) {
  const bool one_each = side.cores.size() == static_cast<std::size_t>(side.threads);
  return one_each ? std::vector<int>{side.cores[i]} : side.cores;
}

}  // namespace duoblas

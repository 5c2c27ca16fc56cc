// Operands and engines of benchmarks of calls that memory bounds.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "gpu/device/opened_device.hpp"
#include "problem/gemv_problem.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Uniform in [-1, 1).
std::vector<char> random_numbers(std::size_t elements, Precision precision, std::uint64_t seed);

/// The named device, or the first, with timestamps; prints its name. \throws DeviceError.
std::unique_ptr<OpenedDevice> opened_device(const std::string& name);

std::shared_ptr<const cl::Buffer> uploaded(OpenedDevice& device, const std::vector<char>& bytes);

/// Median seconds of a call by each way.
struct StrategyTimes {
  double cpu = 0, gpu = 0, both = 0, automatic = 0;
  double bytes = 0;
  /// GB/s of each.
  void print() const;
};

/// The CPU alone, the GPU alone, both, and the engine's own choice; settings as the environment has
/// them.
class HostStrategies {
 public:
  HostStrategies();
  /// In turns, each after a call of its own that is not timed.
  StrategyTimes compare(const GemvProblem& problem, int rounds);

 private:
  std::array<Engine*, 4> engines_;  // drivers outlive main badly
};

}  // namespace duoblas

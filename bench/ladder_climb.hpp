// Measures the steps of a ladder on a device, in turns.
#pragma once

#include <string>
#include <vector>

#include "bench/ladder_steps.hpp"
#include "bench/peer.hpp"
#include "gpu/opened_device.hpp"

namespace duoblas {

struct ClimbedStep {
  LadderStep step;
  /// Why there is no time: "rule NAME", "WRONG RESULT" or the device's error. Empty: there is one.
  std::string refused;
  /// 10^9 operations a second, from the device's time of whole calls, packing included.
  double gflops = 0;  ///< of the median time
  double q1 = 0;      ///< lower quartile, that of the slower calls
  double q3 = 0;
};

/// Verifies each legal step against the first one that runs, then times them in `rounds` rounds, at
/// least 1, every step once a round. `problem` has nothing between the rows; `device` was opened
/// with profiling. \throws DeviceError where the operands cannot be had.
std::vector<ClimbedStep> climb(const std::vector<LadderStep>& steps, const PeerProblem& problem,
                               OpenedDevice& device, int rounds);

}  // namespace duoblas

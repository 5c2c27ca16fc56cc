// Measures the steps of a ladder on a device, in turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/ladder_steps.hpp"
#include "bench/peer.hpp"
#include "gpu/device/opened_device.hpp"

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

/// A vendor's library, or another one, at the same product.
struct ClimbedPeer {
  std::string name;
  std::string refused;  ///< as of a step
  double gflops = 0, q1 = 0, q3 = 0;
};

struct Climbed {
  std::vector<ClimbedStep> steps;
  std::vector<ClimbedPeer> peers;
};

/// Verifies each legal step, and each peer, against the first step that runs, then times them in
/// `rounds` rounds, at least 1, each of them once a round. `problem` has nothing between the rows;
/// `device` was opened with profiling. \throws DeviceError where the operands cannot be had.
Climbed climb(const std::vector<LadderStep>& steps, const std::vector<std::unique_ptr<Peer>>& peers,
              const PeerProblem& problem, OpenedDevice& device, int rounds);

}  // namespace duoblas

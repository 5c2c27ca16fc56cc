// Kernels of ours and other libraries at one product, whose operands the device has: each result
// is judged before it is timed, then all take turns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/own_kernel.hpp"
#include "bench/peer.hpp"

namespace duoblas {

class Resident {
 public:
  /// `device` was opened with profiling; it and the peers outlive this. The first peer's result is
  /// what others are compared with; without peers, that of the first kernel that runs. Peers that
  /// do not take the product are told.
  Resident(OpenedDevice& device, const std::vector<std::unique_ptr<Peer>>& peers,
           const PeerProblem& problem);

  OwnKernel& own() { return own_; }
  /// Why the kernel cannot be timed: "rule NAME", "WRONG RESULT" or the device's error. Empty: it
  /// can be.
  std::string refusal(const KernelParams& kernel);

  Contender way(const KernelParams& kernel);
  /// Those that take the product and are right.
  std::vector<Contender> peers();

  /// The `top` fastest of those that can be timed, by the median of three. Prints what each takes,
  /// or why it has no time.
  std::vector<KernelParams> fastest(const std::vector<KernelParams>& kernels, std::size_t top);

 private:
  double difference(const std::vector<char>& result);

  OpenedDevice& device_;
  const PeerProblem problem_;
  OwnKernel own_;
  std::vector<Peer*> peers_;
  std::vector<char> reference_;
};

}  // namespace duoblas

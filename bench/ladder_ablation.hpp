// Measures a kernel with one thing left out after the other, in turns.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/ablations.hpp"
#include "bench/peer.hpp"
#include "opencl/device.hpp"

namespace duoblas {

struct AblatedKernel {
  Ablation ablation;
  std::string refused;  ///< why there is no time; empty: there is one
  double gflops = 0;    ///< as if it computed the product; of the median
  double q1 = 0, q3 = 0;
};

/// Each in a context of its own, whose kernels are the changed ones. \throws DeviceError where the
/// device cannot be opened, SettingError as write_kernels().
std::vector<AblatedKernel> ablate(const KernelParams& kernel, const PeerProblem& problem,
                                  const cl::Device& device, int rounds);

void print_ablation(const KernelParams& kernel, const std::vector<AblatedKernel>& ablated,
                    std::ostream& out);

}  // namespace duoblas

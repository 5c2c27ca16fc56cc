// The choices of the co-tuner for one tuning case: lists, and a point as an index into each.
#pragma once

#include <compare>
#include <vector>

#include "kernel_space/kernel_params.hpp"
#include "sides/cpu_config.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

/// One choice: a kernel, a sharing mode, a configuration of the CPU side, and the GPU's part out of
/// SearchSpace::parts (`parts`: all of C).
struct Candidate {
  int kernel = 0;
  int sharing = 0;
  int cpu = 0;
  int gpu_parts = 0;
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

/// The lists. None is empty; the best guess is first in each. Kernels are legal and different.
struct SearchSpace {
  std::vector<KernelParams> kernels;
  std::vector<SharingMode> sharings;
  std::vector<CpuConfig> cpus;
  int parts = 16;
  /// The share to try first, if similar cases are known; 0: half.
  int first_parts = 0;
};

/// The best guess of each list, from which a search without a model starts.
inline Candidate first_candidate(const SearchSpace& space) {
  return {0, 0, 0, space.first_parts > 0 ? space.first_parts : (space.parts + 1) / 2};
}

/// All candidates, best guesses of kernels first; the GPU's share goes from 1 to all parts.
template <typename Visit>
void for_each_candidate(const SearchSpace& space, Visit&& visit) {
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  for (int kernel = 0; kernel < count(space.kernels); ++kernel)
    for (int sharing = 0; sharing < count(space.sharings); ++sharing)
      for (int cpu = 0; cpu < count(space.cpus); ++cpu)
        for (int parts = 1; parts <= space.parts; ++parts)
          visit(Candidate{kernel, sharing, cpu, parts});
}

}  // namespace duoblas

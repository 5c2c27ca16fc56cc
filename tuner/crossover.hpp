// The size from which the GPU is worth its overhead.
#pragma once

#include <vector>

#include "tuner/session.hpp"

namespace duoblas {

/// One size of the run: seconds with every core's CPU BLAS, and with the better GPU strategy.
struct CrossoverSample {
  double flops = 0;
  double cpu_seconds = 0;
  double gpu_seconds = 0;
};

/// The flops from which the GPU is used, chosen so that the loss over all sizes is least; a gain
/// under 2 % does not count. Just above the largest sample if the CPU should do all of them.
/// Samples ascend. Pure. 0 for no samples.
double crossover_flops(const std::vector<CrossoverSample>& samples);

/// Measures n = 32 to 512 with the choices of the nearest point of `profile`. \pre it has one of
/// this precision.
double measure_crossover(TuneContext& context, const Profile& profile, Precision precision);

}  // namespace duoblas

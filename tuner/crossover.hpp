// From which size on the GPU is worth its overhead.
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

/// The flops of the size from which on the GPU is used, so that least is lost over all sizes, a
/// gain under 2 % counting as none; just above the largest where the CPU is to do them all. Samples
/// ascend. Pure. 0 for none.
double crossover_flops(const std::vector<CrossoverSample>& samples);

/// Measures n = 32 to 512 with the choices of the nearest point of `profile`, which has one of
/// this precision.
double measure_crossover(TuneContext& context, const Profile& profile, Precision precision);

}  // namespace duoblas

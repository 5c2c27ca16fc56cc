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

/// The flops of the smallest size from which on every size gains at least 2 %; just above the
/// largest where that one does not. Samples ascend. Pure. 0 for none.
double crossover_flops(const std::vector<CrossoverSample>& samples);

/// Measures n = 32 to 512 with the choices of the nearest point of `profile`, which has one of
/// this precision.
double measure_crossover(TuneContext& context, const Profile& profile, Precision precision);

}  // namespace duoblas

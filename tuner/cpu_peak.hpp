// The measured peak rate of multiply-adds of a CPU's cores.
#pragma once

#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

/// GFLOPS of this many threads at once on these cores. Each thread has independent chains of
/// multiply-adds in registers of the width that is fastest here. Floats for s and c, doubles for d
/// and z. Takes about a third of a second. \throws std::system_error if a thread cannot be started.
double cpu_peak(Precision precision, const std::vector<int>& cores, int threads);

}  // namespace duoblas

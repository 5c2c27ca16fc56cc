// What a CPU's cores can multiply and add at most, measured.
#pragma once

#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

/// GFLOPS of so many threads at once on these cores, each with chains of multiply-adds that do not
/// wait for each other, in registers of the widest kind that is fastest here. Floats for s and c,
/// doubles for d and z. Takes about a third of a second. \throws std::system_error where there is
/// no thread to be had.
double cpu_peak(Precision precision, const std::vector<int>& cores, int threads);

}  // namespace duoblas

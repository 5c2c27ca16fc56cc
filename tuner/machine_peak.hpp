// What both sides of a machine can do at most, and which of it a strategy uses.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/comparison.hpp"

namespace duoblas {

/// GFLOPS of multiply-adds that depend on nothing (device_peak.hpp, cpu_peak.hpp); 0: not measured,
/// or there is no such arithmetic.
struct MachinePeak {
  Precision precision = Precision::s;  ///< s: also of c; d: also of z
  double gpu = 0;
  std::string gpu_how;
  double cpu = 0, cpu_all = 0;  ///< of the CPU side's cores, and of all
};

/// Measures each side alone, now: percentages are of the clocks of this hour, not of a data
/// sheet's. \throws CpuBlasError.
MachinePeak measure_peak(Engine& engine, Precision precision);

/// Of what the row's strategy works with: the CPU's cores, the device, or both; 0: not known, as
/// where the device failed.
double peak_for(const std::vector<MachinePeak>& peaks, const ComparisonRow& row);

}  // namespace duoblas

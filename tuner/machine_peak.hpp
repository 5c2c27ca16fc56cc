// The peak rates of both sides of a machine, and which of them applies to a strategy.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "tuner/comparison.hpp"

namespace duoblas {

/// GFLOPS of independent multiply-adds (device_peak.hpp, cpu_peak.hpp); 0: not measured, or there
/// is no such arithmetic.
struct MachinePeak {
  Precision precision = Precision::s;  ///< s: also for c; d: also for z
  double gpu = 0;
  std::string gpu_how;
  double cpu = 0, cpu_all = 0;  ///< of the CPU side's cores, and of all
  /// Of doubles on a device that makes their products of bytes: 10^9 operations on bytes a second.
  double gpu_bytes = 0;
  std::string gpu_bytes_how = {};
};

/// Measures each side alone. Percentages are thus relative to the present clocks, not to a data
/// sheet. \throws CpuBlasError.
MachinePeak measure_peak(Engine& engine, Precision precision);

/// The peak of what the row's strategy uses: the CPU's cores, the device, or both. 0: not known,
/// for example because the device failed.
double peak_for(const std::vector<MachinePeak>& peaks, const ComparisonRow& row);

}  // namespace duoblas

// The limits that the user sets for the CPU side. Nothing in the library exceeds them.
#pragma once

#include <string>
#include <vector>

namespace duoblas {

/// The cores and threads this process may use.
struct CpuLimits {
  std::vector<int> cores;  ///< OS indices: affinity mask, reduced by DUOBLAS_CPU_CORES
  int threads =
      1;  ///< min of |cores|, the cgroup's quota (rounded up) and OMP/OPENBLAS_NUM_THREADS
};

/// Reads affinity and cgroup (v1 and v2) now. `cpu_cores` is DUOBLAS_CPU_CORES ("" = all allowed),
/// `max_threads` the bound from the environment (0 = none). \throws SettingError if `cpu_cores`
/// does not parse or names no allowed core.
CpuLimits cpu_limits(const std::string& cpu_cores, int max_threads);

/// Parses "0-3,8" to {0,1,2,3,8}. \throws SettingError.
std::vector<int> parse_core_list(const std::string& text);

/// Stand-in mode: the stand-in GPU gets the first half of the cores, the CPU side the rest. \throws
/// SettingError if fewer than 2 cores are allowed.
struct StandinHalves {
  std::vector<int> gpu;
  std::vector<int> cpu;
};
StandinHalves standin_halves(const CpuLimits& limits);

/// Sets the calling thread's affinity for a scope; threads started inside inherit it. An empty list
/// changes nothing. Never throws: if the kernel refuses, the affinity stays.
class ScopedAffinity {
 public:
  explicit ScopedAffinity(const std::vector<int>& cores) noexcept;
  ~ScopedAffinity();
  ScopedAffinity(const ScopedAffinity&) = delete;
  ScopedAffinity& operator=(const ScopedAffinity&) = delete;

 private:
  unsigned long saved_[16] = {};
  bool changed_ = false;
};

}  // namespace duoblas

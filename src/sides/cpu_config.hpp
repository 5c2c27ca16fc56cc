// How the CPU side runs: which BLAS, as which core type, on which cores.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "problem/precision.hpp"

namespace duoblas {

/// One configuration of the CPU BLAS.
struct CpuConfig {
  std::string library;     ///< path or soname; empty: the default of this machine
  std::string core_type;   ///< OPENBLAS_CORETYPE; empty: as the library detects it
  int threads = 0;         ///< 0: as many as `cores`
  std::vector<int> cores;  ///< OS indices of the cores it may run on; empty: the caller's
  /// True: oneTBB hands out tiles of C to `threads` threads, and each tile is one call of a BLAS
  /// with one thread. False: the BLAS divides the work among threads of its own.
  bool tiles = false;

  friend bool operator==(const CpuConfig&, const CpuConfig&) = default;
};

/// One per element type, at precision_index(): the core type that is best for float may be bad for
/// double.
using CpuConfigs = std::array<CpuConfig, precision_count>;

/// The same for every element type.
inline CpuConfigs every_precision(const CpuConfig& config) {
  return {config, config, config, config};
}

}  // namespace duoblas

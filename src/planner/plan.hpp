// How one call will be done, decided before anything is touched.
#pragma once

#include <cstdint>
#include <string_view>

#include "cpu/cpu_config.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/sharing_mode.hpp"
#include "problem/cut.hpp"

namespace duoblas {

struct Plan {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid; never automatic
  Axis axis = Axis::rows;
  std::int64_t gpu_extent = 0;  ///< rows (or columns) of C that the GPU computes
  Share share;                  ///< the share that gpu_extent was rounded from
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  CpuConfig cpu;
  /// What the cost model expects of this plan and of the CPU alone; 0: not known.
  double expected_seconds = 0;
  double cpu_only_seconds = 0;
  std::string_view reason;  ///< static text: why this plan
};

}  // namespace duoblas

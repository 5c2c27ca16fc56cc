// From the settings to an opened device, or the reason why there is none.
#pragma once

#include <memory>
#include <string>

#include <duoblas/settings.hpp>

#include "cpu/cpu_limits.hpp"
#include "gpu/gpu_side.hpp"

namespace duoblas {

/// What the settings say of how long things on a GPU may take.
GpuBounds gpu_bounds(const Settings& settings);

/// Whether kernels are tried before their first use, and where that is remembered.
Verification verification(const Settings& settings);

struct OpenedGpu {
  std::unique_ptr<GpuSide> side;  ///< null: none
  std::string problem;            ///< why not
  std::string passed_over;        ///< devices before it that cannot be used, and why
};

/// Opens the first device of those that `settings.device` names that can be opened; a CPU device
/// only where it is named, or `cpu_device_allowed`. None, and no driver is asked, where one of this
/// process hangs. Never throws.
OpenedGpu open_gpu(const Settings& settings, bool cpu_device_allowed) noexcept;

/// Stand-in mode: the OpenCL CPU device on the GPU's half of the cores. PoCL's workers are pinned
/// by inheriting this thread's affinity, so PoCL must not have been started before in the process
/// (the result says so where it was). Never throws.
OpenedGpu open_standin(const Settings& settings, const StandinHalves& halves) noexcept;

}  // namespace duoblas

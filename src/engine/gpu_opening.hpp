// From the settings to an opened device, or the reason why there is none.
#pragma once

#include <memory>
#include <string>

#include <duoblas/settings.hpp>

#include "cpu/cpu_limits.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/kernels/gemv_choice.hpp"
#include "profile/tuned_gemv.hpp"

namespace duoblas {

/// The settings' limits on how long things may take on a GPU.
GpuBounds gpu_bounds(const Settings& settings);

/// Whether kernels are tried before their first use, and where the verdicts are stored.
Verification verification(const Settings& settings);

struct OpenedGpu {
  std::unique_ptr<GpuSide> side;  ///< null: none
  std::string problem;            ///< why not
  std::string passed_over;        ///< devices before it that cannot be used, and why
  bool left_out = false;          ///< a driver was, which would end the process
  bool is_held = false;           ///< another process has it for itself
  int sharers = 1;                ///< so many ranks of the job on this host use one, at most
};

/// Opens the first usable device of those that `settings.device` names; a rank of several on this
/// host, its own, with its part of the memory. A CPU device is used only
/// if it is named, or if `cpu_device_allowed`. If a device of this process hangs, opens none and
/// asks no driver. Never throws.
OpenedGpu open_gpu(const Settings& settings, bool cpu_device_allowed) noexcept;

/// Stand-in mode: the OpenCL CPU device on the GPU's half of the cores. PoCL's workers inherit this
/// thread's affinity, so PoCL must not have been started before in the process; the result says so
/// if it was. Never throws.
OpenedGpu open_standin(const Settings& settings, const StandinHalves& halves) noexcept;

/// Gives a device the profile's kernels of gemv. What has none in `tuned` uses the built-in ones
/// from now on.
void prefer_tuned(GemvChoice& choice, const TunedGemvs& tuned);

}  // namespace duoblas

// The steps from a naive kernel to a fast one, as points of our kernel space.
#pragma once

#include <string>
#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct LadderStep {
  std::string title;   ///< a few words
  std::string change;  ///< one line: what changed against step `from`
  KernelParams kernel;
  std::size_t from = 0;  ///< number, from 1, of the step that this one changes; 0: it is the first
  bool of_tutorial = false;
};

/// Family tiled: the steps of Cedric Nugteren's tutorial on SGEMM in OpenCL ("myGEMM",
/// https://cnugteren.github.io/tutorial/pages/page1.html), mirrored for row-major matrices, and
/// ours behind them. Where our kernels cannot do a step literally, it is the nearest point, and its
/// text says so. The tutorial's step for one architecture (shuffles) is left out. Some steps may
/// not be legal on a device: see violated_rule().
std::vector<LadderStep> tiled_ladder(Precision precision, const DeviceLimits& limits);

/// Family panel, for CPU devices: from one row and the narrowest vector to the library's default
/// tile and blocks with both operands packed.
std::vector<LadderStep> panel_ladder(Precision precision, const DeviceLimits& limits);

}  // namespace duoblas

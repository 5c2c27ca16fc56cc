// What kernels, and those who launch or try them, have to know of a device.
#pragma once

#include <utility>

#include "gpu/kernels/panel_ability.hpp"
#include "kernel_space/device_limits.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

struct TargetDevice {
  TargetDevice(cl::Context&& of, const DeviceLimits& known, double bound)
      : context(std::move(of)), limits(known), launch_bound(bound) {}

  cl::Context context;
  DeviceLimits limits;
  double launch_bound = 0;  ///< seconds that one launch may take; 0: any
  PanelAbility panels;
};

}  // namespace duoblas

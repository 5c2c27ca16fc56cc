// Hints for a GPU that the machine has and OpenCL does not show: what to install or to set.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/graphics_cards.hpp"
#include "opencl/device.hpp"

namespace duoblas::cli {

/// "AMD GPU 0x1002:0x15bf (amdgpu)".
std::string describe(const GraphicsCard& card);

/// A sentence or two for each card that is not among the devices, in the order of the cards. Cards
/// that are no GPU, or whose OpenCL driver is not known here, are skipped. `rusticl_enable`: the
/// value of RUSTICL_ENABLE.
std::vector<std::string> driver_hints(const std::vector<GraphicsCard>& cards,
                                      const std::vector<cl::DeviceInfo>& devices,
                                      const std::string& rusticl_enable);

/// The same for this machine, its environment and these devices.
std::vector<std::string> driver_hints(const std::vector<cl::Device>& devices);

/// The variables that are set and change the behaviour of drivers and BLAS libraries; DuoBLAS's own
/// are among them.
std::map<std::string, std::string> driver_environment();

}  // namespace duoblas::cli

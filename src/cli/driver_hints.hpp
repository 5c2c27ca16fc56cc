// A GPU that the machine has and OpenCL does not show: what to install or to set.
#pragma once

#include <string>
#include <vector>

#include "cli/graphics_cards.hpp"
#include "opencl/device.hpp"

namespace duoblas::cli {

/// "AMD GPU 0x1002:0x15bf (amdgpu)".
std::string describe(const GraphicsCard& card);

/// A sentence or two for each card that none of the devices is, in the order of the cards. Of
/// cards that are no GPU, or have no OpenCL driver that is known here, nothing is said.
/// `rusticl_enable`: the value of RUSTICL_ENABLE.
std::vector<std::string> driver_hints(const std::vector<GraphicsCard>& cards,
                                      const std::vector<cl::DeviceInfo>& devices,
                                      const std::string& rusticl_enable);

}  // namespace duoblas::cli

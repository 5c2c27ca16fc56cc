// The GPUs that the kernel has a driver for, and hints where OpenCL does not show one: what to
// install or to set.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace duoblas::cli {

/// A card below /sys/class/drm.
struct GraphicsCard {
  std::string node;         ///< "card0"
  unsigned vendor = 0;      ///< PCI; 0 where it is no PCI device
  unsigned device = 0;      ///< PCI
  std::string driver;       ///< the kernel's: "amdgpu", "panthor"
  std::string pci_address;  ///< "0000:c1:00.0"
  std::string render_node;  ///< "renderD128"; empty: it only drives a display

  enum class Access { may_open, denied, missing };
  Access access = Access::missing;  ///< of /dev/dri/<render_node>
  std::string group;                ///< that owns it: "render"
};

/// Reads `root`/sys/class/drm and `root`/dev/dri, and opens nothing. Empty where there is none.
std::vector<GraphicsCard> graphics_cards(const std::filesystem::path& root = "/");

/// A GPU that OpenCL does not show, and what to install or to set.
struct DriverHint {
  std::string what, mend;

  std::string text() const { return what + ": " + mend; }
};

/// "AMD GPU 0x1002:0x15bf (amdgpu)".
std::string describe(const GraphicsCard& card);

/// One for each card that is not among the devices, in the order of the cards. Cards
/// that are no GPU, or whose OpenCL driver is not known here, are skipped. `rusticl_enable`: the
/// value of RUSTICL_ENABLE.
std::vector<DriverHint> driver_hints(const std::vector<GraphicsCard>& cards,
                                     const std::vector<cl::DeviceInfo>& devices,
                                     const std::string& rusticl_enable);

/// The same for this machine, its environment and these devices.
std::vector<DriverHint> driver_hints(const std::vector<cl::Device>& devices);

/// The variables that are set and change the behaviour of drivers and BLAS libraries; DuoBLAS's own
/// are among them.
std::map<std::string, std::string> driver_environment();

}  // namespace duoblas::cli

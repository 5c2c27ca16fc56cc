// The GPUs that the kernel has a driver for, whether or not OpenCL shows them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace duoblas::cli

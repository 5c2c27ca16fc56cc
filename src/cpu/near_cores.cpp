// Which cores are near a device, by the tree of the kernel's PCI devices: hwloc reads it there,
// too, by a plug-in that also looks for displays.
#include <filesystem>
#include <fstream>

#include <duoblas/error.hpp>

#include "cpu/cpu_limits.hpp"

namespace duoblas {

std::vector<int> cores_near(const std::string& pci_address, const std::string& root) {
  if (pci_address.empty()) return {};
  std::ifstream file(std::filesystem::path(root) / "sys/bus/pci/devices" / pci_address /
                     "local_cpulist");
  std::string list;
  if (!(file >> list)) return {};
  try {
    return parse_core_list(list);
  } catch (const SettingError&) {
    return {};
  }
}

}  // namespace duoblas

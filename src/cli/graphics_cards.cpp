// The GPUs that the kernel has a driver for, read from /sys.
#include "cli/driver_hints.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "os/file_status.hpp"
#include "os/user_names.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

// "card0", but not the connector "card0-HDMI-A-1".
bool is_card(const std::string& name) {
  return name.size() > 4 && name.starts_with("card") &&
         std::all_of(name.begin() + 4, name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The kernel writes "0x1002".
unsigned number_in(const fs::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  return static_cast<unsigned>(std::strtoul(text.c_str(), nullptr, 16));
}

// The value of "DRIVER=amdgpu".
std::string value_in(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  return "";
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    names.push_back(entry->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void look_at_node(const fs::path& path, GraphicsCard& card) {
  const auto node = file_status(path.c_str());
  if (!node) return;
  card.group = group_name(node->group);
  card.access = may(FileRight::read, path) && may(FileRight::write, path)
                    ? GraphicsCard::Access::may_open
                    : GraphicsCard::Access::denied;
}

}  // namespace

std::vector<GraphicsCard> graphics_cards(const fs::path& root) {
  std::vector<GraphicsCard> cards;
  const fs::path drm = root / "sys/class/drm";
  for (const std::string& name : names_in(drm)) {
    if (!is_card(name)) continue;
    const fs::path device = drm / name / "device";
    GraphicsCard card;
    card.node = name;
    card.vendor = number_in(device / "vendor");
    card.device = number_in(device / "device");
    card.driver = value_in(device / "uevent", "DRIVER");
    card.pci_address = value_in(device / "uevent", "PCI_SLOT_NAME");
    for (const std::string& node : names_in(device / "drm"))
      if (node.starts_with("renderD")) card.render_node = node;
    if (!card.render_node.empty()) look_at_node(root / "dev/dri" / card.render_node, card);
    cards.push_back(std::move(card));
  }
  return cards;
}

}  // namespace duoblas::cli

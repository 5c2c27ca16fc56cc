#include "cli/driver_hints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string_view>

#include "os/host_environment.hpp"

namespace duoblas::cli {
namespace {

// By PCI vendor, else by the kernel's driver. docs/drivers.md has the sources.
struct Family {
  const char* name;
  unsigned vendor;                    // 0: its GPUs are no PCI devices
  std::array<const char*, 3> kernel;  // the kernel's drivers; null: none
  std::array<const char*, 3> words;   // one of them is in its OpenCL devices' vendor or name
  const char* rusticl;                // its name in RUSTICL_ENABLE; null: none
  const char* rusticl_since;
  const char* packages;  // other than Mesa's; null: none
};

constexpr Family families[] = {
    {"AMD",
     0x1002,
     {"amdgpu", "radeon"},
     {"amd", "advanced micro", "radeon"},
     "radeonsi",
     "Mesa 23.1 (Debian 13, or Debian 12's backports)",
     "or AMD's own: rocm-opencl-icd (Debian 13; not every APU is supported)"},
    {"Intel",
     0x8086,
     {"i915", "xe"},
     {"intel"},
     "iris",
     "Mesa 22.3",
     "better Intel's own: intel-opencl-icd (graphics of 2015 to 2020, Broadwell to Ice Lake: "
     "intel-opencl-icd-legacy where there is one)"},
    {"NVIDIA",
     0x10de,
     {"nvidia", "nvidia-drm", "nouveau"},
     {"nvidia"},
     nullptr,
     nullptr,
     "nvidia-opencl-icd, with NVIDIA's driver (nvidia-driver) of the same version"},
    {"Arm Mali",
     0,
     {"panfrost", "panthor"},
     {"arm", "mali", "panfrost"},
     "panfrost",
     "Mesa 24 (Debian 13)",
     nullptr},
    {"Qualcomm Adreno",
     0,
     {"msm", "msm_dpu", "msm_mdp"},
     {"qualcomm", "adreno", "freedreno"},
     "freedreno",
     "Mesa 24.3 (Debian 13)",
     nullptr},
    {"Apple", 0, {"asahi"}, {"apple", "asahi"}, "asahi", "Mesa 25 (Fedora Asahi Remix)", nullptr},
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_one_of(const std::array<const char*, 3>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* each) { return each != nullptr && name == each; });
}

const Family* family_of(const GraphicsCard& card) {
  for (const Family& family : families) {
    if (family.vendor != 0 ? card.vendor == family.vendor : is_one_of(family.kernel, card.driver))
      return &family;
  }
  return nullptr;
}

// A word, not a part of one: "arm" is not in "llvmpipe (Charm)".
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto letter = [&](std::size_t i) {
      return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
    };
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  }
  return false;
}

bool is_shown(const GraphicsCard& card, const Family& family,
              const std::vector<cl::DeviceInfo>& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](const cl::DeviceInfo& device) {
    if (!device.is_gpu) return false;
    if (!device.pci_address.empty() && !card.pci_address.empty())
      return device.pci_address == card.pci_address;
    const std::string text = lower(device.vendor + " " + device.name);
    return std::any_of(family.words.begin(), family.words.end(),
                       [&](const char* word) { return word != nullptr && has_word(text, word); });
  });
}

// RUSTICL_ENABLE is a list: "radeonsi:0,iris".
bool enables(const std::string& list, const std::string& driver) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');)
    if (item.substr(0, item.find(':')) == driver) return true;
  return false;
}

std::string driver_hint(const Family& family, const GraphicsCard& card,
                        const std::string& rusticl_enable) {
  std::string text;
  if (family.rusticl != nullptr) {
    text = "install mesa-opencl-icd (rusticl, " + std::string(family.rusticl_since) + " or newer)" +
           (enables(rusticl_enable, family.rusticl)
                ? ": RUSTICL_ENABLE=" + rusticl_enable +
                      " is set, so the package is missing, "
                      "too old, or OCL_ICD_VENDORS hides it"
                : " and set RUSTICL_ENABLE=" + std::string(family.rusticl));
    if (family.packages != nullptr) text += "; " + std::string(family.packages);
    return text;
  }
  text = "install " + std::string(family.packages);
  if (card.driver == "nouveau") text += "; the kernel uses nouveau now, which it does not run on";
  return text;
}

// Of variables that drivers and BLAS libraries read.
constexpr std::string_view beginnings[] = {
    "AMD_", "BLIS_", "CL_CONFIG_", "CUDA_", "DUOBLAS_", "ETNA_",    "FD_", "GALLIUM_", "GOMP_",
    "GPU_", "HSA_",  "HWLOC_",     "IGC_",  "IRIS_",    "LIBGL_",   "LP_", "MALI_",    "MESA_",
    "MKL_", "OMP_",  "OPENBLAS_",  "PAN_",  "POCL_",    "RUSTICL_", "ZE_"};
constexpr std::string_view names[] = {
    "GOTO_NUM_THREADS",     "LD_LIBRARY_PATH", "LD_PRELOAD",    "NEOReadDebugKeys",
    "OCL_ICD_FILENAMES",    "OCL_ICD_VENDORS", "OPENCL_LAYERS", "OverrideDefaultFP64Settings",
    "ROCR_VISIBLE_DEVICES", "INTEL_DEBUG"};

}  // namespace

std::string describe(const GraphicsCard& card) {
  const Family* family = family_of(card);
  std::string text = family != nullptr ? std::string(family->name) + " GPU" : "display device";
  if (card.vendor != 0) {
    char ids[32];
    std::snprintf(ids, sizeof ids, " 0x%04x:0x%04x", card.vendor, card.device);
    text += ids;
  }
  return text + (card.driver.empty() ? ", no kernel driver" : " (" + card.driver + ")");
}

std::vector<DriverHint> driver_hints(const std::vector<GraphicsCard>& cards,
                                     const std::vector<cl::DeviceInfo>& devices,
                                     const std::string& rusticl_enable) {
  std::vector<DriverHint> hints;
  for (const GraphicsCard& card : cards) {
    const Family* family = family_of(card);
    // On boards of Arm's and Qualcomm's the display is a card of its own, without a render node.
    if (family == nullptr || (family->vendor == 0 && card.render_node.empty())) continue;
    if (is_shown(card, *family, devices)) continue;
    const std::string node = "/dev/dri/" + card.render_node;
    std::string hint;
    if (card.driver.empty()) {
      hint += "the kernel has no driver for it (is its module or firmware missing?)";
    } else if (!card.render_node.empty() && card.access == GraphicsCard::Access::denied) {
      hint += "you may not open " + node + ", which is group " + card.group +
              "'s: sudo usermod -aG " + card.group +
              " $USER, and log in again. If it is still not shown, " +
              driver_hint(*family, card, rusticl_enable);
    } else if (!card.render_node.empty() && card.access == GraphicsCard::Access::missing) {
      hint += node + " is not there: a container needs --device /dev/dri. Then " +
              driver_hint(*family, card, rusticl_enable);
    } else {
      hint += driver_hint(*family, card, rusticl_enable);
    }
    hints.push_back({describe(card) + " is not shown by OpenCL", hint + ". See docs/drivers.md."});
  }
  return hints;
}

std::vector<DriverHint> driver_hints(const std::vector<cl::Device>& devices) {
  std::vector<cl::DeviceInfo> shown;
  for (const cl::Device& device : devices) shown.push_back(device.info);
  return driver_hints(graphics_cards(), shown, driver_environment()["RUSTICL_ENABLE"]);
}

std::map<std::string, std::string> driver_environment() {
  std::map<std::string, std::string> found;
  for_each_host_variable([&](std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = text.substr(0, equals);
    const bool wanted = std::ranges::find(names, name) != std::end(names) ||
                        std::ranges::any_of(beginnings, [&](std::string_view beginning) {
                          return name.starts_with(beginning);
                        });
    if (wanted) found.emplace(name, text.substr(equals + 1));
  });
  return found;
}

}  // namespace duoblas::cli

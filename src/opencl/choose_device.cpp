#include "opencl/choose_device.hpp"

#include <algorithm>
#include <cctype>

namespace duoblas::cl {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_index(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string inventory(const std::vector<Device>& devices) {
  if (devices.empty()) return "there is no OpenCL device";
  std::string text = "there is";
  for (const Device& device : devices) {
    text += (&device == &devices.front() ? " " : "; ") + std::to_string(device.info.index) + ": " +
            device.info.name +
            (device.info.is_gpu   ? " (GPU)"
             : device.info.is_cpu ? " (CPU)"
                                  : "");
  }
  return text;
}

template <typename Fits>
std::optional<Device> first(const std::vector<Device>& devices, Fits fits) {
  const auto found = std::find_if(devices.begin(), devices.end(), fits);
  if (found == devices.end()) return std::nullopt;
  return *found;
}

}  // namespace

std::optional<Device> choose_device(const std::vector<Device>& devices, const std::string& wanted,
                                    bool cpu_allowed, std::string* why_not) {
  const auto nothing = [&](const std::string& reason) -> std::optional<Device> {
    if (why_not != nullptr) *why_not = reason;
    return std::nullopt;
  };
  const std::string part = lower_case(wanted);
  if (part == "none") return nothing("DUOBLAS_DEVICE is \"none\"");

  if (part.empty()) {
    auto device = first(devices, [](const Device& d) { return d.info.is_gpu; });
    if (!device && cpu_allowed) {
      device = first(devices, [](const Device& d) { return d.info.is_cpu; });
    }
    if (device) return device;
    return nothing(cpu_allowed ? "no GPU and no CPU device: " + inventory(devices)
                               : "no GPU: " + inventory(devices));
  }

  // A number is an index first; it may still be part of a name ("4090").
  if (is_index(part)) {
    auto device =
        first(devices, [&](const Device& d) { return std::to_string(d.info.index) == part; });
    if (device) return device;
  }
  auto device = first(devices, [&](const Device& d) {
    return lower_case(d.info.name).find(part) != std::string::npos;
  });
  if (device) return device;
  return nothing("no device is \"" + wanted + "\": " + inventory(devices));
}

}  // namespace duoblas::cl

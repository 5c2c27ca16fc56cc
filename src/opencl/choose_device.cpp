#include "opencl/choose_device.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace duoblas::cl {
namespace {

// Not std::tolower(), which goes by the program's locale: in Turkish I has another small letter.
std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool is_index(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string inventory(const std::vector<Device>& devices) {
  if (devices.empty()) return "there is no OpenCL device";
  std::string text = "OpenCL's devices are";
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
std::vector<Device> all(const std::vector<Device>& devices, Fits fits) {
  std::vector<Device> found;
  std::copy_if(devices.begin(), devices.end(), std::back_inserter(found), fits);
  return found;
}

}  // namespace

std::vector<Device> matching_devices(const std::vector<Device>& devices, const std::string& wanted,
                                     bool cpu_allowed, std::string* why_not) {
  const auto nothing = [&](const std::string& reason) -> std::vector<Device> {
    if (why_not != nullptr) *why_not = reason;
    return {};
  };
  const std::string part = lower_case(wanted);
  if (part == "none") return nothing("DUOBLAS_DEVICE is \"none\"");

  if (part.empty()) {
    auto found = all(devices, [](const Device& d) { return d.info.is_gpu; });
    if (found.empty() && cpu_allowed)
      found = all(devices, [](const Device& d) { return d.info.is_cpu; });
    if (!found.empty()) return found;
    return nothing(cpu_allowed ? "no GPU and no CPU device: " + inventory(devices)
                               : "no GPU: " + inventory(devices));
  }

  // A number is an index first; it may still be part of a name ("4090").
  if (is_index(part)) {
    auto found =
        all(devices, [&](const Device& d) { return std::to_string(d.info.index) == part; });
    if (!found.empty()) return found;
  }
  auto found = all(devices, [&](const Device& d) {
    return lower_case(d.info.name).find(part) != std::string::npos;
  });
  if (!found.empty()) return found;
  return nothing("no device is \"" + wanted + "\": " + inventory(devices));
}

std::vector<Device> devices_for_ranks(std::vector<Device> matching) {
  if (matching.empty()) return matching;
  const DeviceInfo first = matching.front().info;
  std::erase_if(matching, [&](const Device& d) {
    return d.info.name != first.name || d.info.platform != first.platform;
  });
  return matching;
}

std::optional<Device> choose_device(const std::vector<Device>& devices, const std::string& wanted,
                                    bool cpu_allowed, std::string* why_not) {
  auto found = matching_devices(devices, wanted, cpu_allowed, why_not);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace duoblas::cl

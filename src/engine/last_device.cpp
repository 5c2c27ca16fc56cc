#include "engine/last_device.hpp"

#include <fstream>
#include <string_view>
#include <vector>

#include "opencl/cache_file.hpp"
#include "os/file_status.hpp"
#include "os/host_environment.hpp"
#include "os/process.hpp"

namespace duoblas {
namespace {

// How the device multiplies doubles.
constexpr std::string_view own_doubles = "doubles", by_integers = "integers", no_doubles = "none";

// Changes when a driver is installed or removed.
std::string time_of_change(const std::string& path) {
  const auto about = file_status(path);
  if (!about) return "none";
  return std::to_string(about->changed) + '.' + std::to_string(about->changed_nanoseconds);
}

std::string boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

}  // namespace

std::string device_choice(const Settings& settings) {
  std::string key = settings.device + '\n' + (settings.standin ? "standin" : "gpu") + '\n' +
                    std::to_string(static_cast<int>(settings.fp64)) + '\n';
  // Variables that choose drivers, or devices of one.
  for (const char* name :
       {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
        "ROCR_VISIBLE_DEVICES", "RUSTICL_ENABLE", "ONEAPI_DEVICE_SELECTOR"})
    key += host_variable(name).value_or("") + '\n';
  return key + time_of_change(host_variable("OCL_ICD_VENDORS").value_or("/etc/OpenCL/vendors"));
}

std::string last_device_folder(const std::string& cache_dir) {
  return cache_dir.empty() ? std::string() : cache_dir + "/machine";
}

LastDevice::LastDevice(const Settings& settings) : standin_(settings.standin) {
  if (settings.cache_dir.empty() || !settings.adapt) return;
  folder_ = last_device_folder(settings.cache_dir);
  key_ = "device\n" + host_name() + '\n' + boot() + '\n' + device_choice(settings);
}

// Seven lines. If a driver's name contains a line break, the file is not found again.
std::optional<DeviceOpenedLast> LastDevice::load() const {
  if (folder_.empty()) return std::nullopt;
  const auto content = cl::CacheDirectory(folder_).load(key_);
  std::string_view rest(reinterpret_cast<const char*>(content.data()), content.size());
  DeviceOpenedLast device;
  device.key.standin = standin_;
  std::string shared, doubles;
  for (std::string* text : {&device.key.device, &device.key.driver, &device.origin.vendor,
                            &device.origin.kind, &device.origin.architecture, &shared, &doubles}) {
    const auto end = rest.find('\n');
    if (end == rest.npos) return std::nullopt;
    *text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  const auto sharing = sharing_mode_from(shared);
  if (!sharing) return std::nullopt;
  device.sharing = *sharing;
  device.has_fp64 = doubles == own_doubles;
  device.doubles_by_integers = doubles == by_integers;
  return device;
}

void LastDevice::remember(const DeviceOpenedLast& device) const {
  if (folder_.empty()) return;
  std::string text;
  for (const std::string& line :
       {device.key.device, device.key.driver, device.origin.vendor, device.origin.kind,
        device.origin.architecture, std::string(name(device.sharing)),
        std::string(device.has_fp64              ? own_doubles
                    : device.doubles_by_integers ? by_integers
                                                 : no_doubles)})
    text += line + '\n';
  const std::vector<unsigned char> content(text.begin(), text.end());
  const cl::CacheDirectory folder(folder_);
  if (folder.load(key_) != content) (void)folder.store(key_, content);
}

}  // namespace duoblas

// NVIDIA's management library, loaded at run time. The few functions in use are declared here, as
// the driver's documentation gives them.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "os/dynamic_library.hpp"
#include "power/sources.hpp"

namespace duoblas::power {
namespace {

constexpr double milli = 1e-3;
constexpr double step_joules = 1e-3;
// Boards from Volta to Hopper renew nvmlDeviceGetPowerUsage 10 times a second or more often.
constexpr double power_update_seconds = 0.1;
constexpr double updates_within_seconds = 0.4;
constexpr unsigned name_size = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE

using Device = void*;

// Loaded and initialised. Functions throw SensorError.
class Nvml {
 public:
  explicit Nvml(const std::string& file) : library_(open_library(file.c_str())) {
    if (library_ == nullptr) throw SensorError(why_no_library(file));
    ask("nvmlInit_v2");
  }
  // The library stays mapped: drivers do not like to be unloaded.
  ~Nvml() {
    if (const auto shutdown = function<int()>("nvmlShutdown")) shutdown();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::vector<Device> devices() const {
    unsigned count = 0;
    ask("nvmlDeviceGetCount_v2", &count);
    std::vector<Device> all(count);
    for (unsigned i = 0; i < count; ++i) ask("nvmlDeviceGetHandleByIndex_v2", i, &all[i]);
    return all;
  }
  Device device_at(const std::string& pci_address) const {
    Device device = nullptr;
    ask("nvmlDeviceGetHandleByPciBusId_v2", pci_address.c_str(), &device);
    return device;
  }
  std::string name(Device device) const {
    char text[name_size] = {};
    ask("nvmlDeviceGetName", device, +text, name_size);
    return text;
  }
  // Since the driver was loaded; Volta and later.
  double total_joules(Device device) const {
    unsigned long long millijoules = 0;
    ask("nvmlDeviceGetTotalEnergyConsumption", device, &millijoules);
    return static_cast<double>(millijoules) * milli;
  }
  double watts(Device device) const {
    unsigned milliwatts = 0;
    ask("nvmlDeviceGetPowerUsage", device, &milliwatts);
    return milliwatts * milli;
  }

 private:
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(library_symbol(library_, name));
  }
  template <typename... Arguments>
  void ask(const char* name, Arguments... arguments) const {
    const auto call = function<int(Arguments...)>(name);
    if (call == nullptr) throw SensorError(std::string(name) + ": this driver does not have it");
    const int result = call(arguments...);
    if (result == 0) return;
    const auto text = function<const char*(int)>("nvmlErrorString");
    throw SensorError(std::string(name) + ": " +
                      (text ? text(result) : "error " + std::to_string(result)));
  }

  void* library_;
};

using Getter = double (Nvml::*)(Device) const;

// Each device's joules or watts.
std::vector<Gauge> gauges_of(const std::shared_ptr<const Nvml>& nvml,
                             const std::vector<Device>& devices, Getter getter) {
  std::vector<Gauge> gauges;
  for (const Device device : devices)
    gauges.push_back({[nvml, device, getter] { return ((*nvml).*getter)(device); }});
  return gauges;
}

}  // namespace

void find_nvml(const PowerPlaces& places, PowerSources& found) {
  SensorInfo info;
  info.domain = Domain::gpu;
  try {
    const auto nvml = std::make_shared<const Nvml>(places.nvml_library);
    const auto devices = places.gpu_address.empty()
                             ? nvml->devices()
                             : std::vector{nvml->device_at(places.gpu_address)};
    if (devices.empty()) throw SensorError("the driver has no GPU");
    std::string name = nvml->name(devices.front());
    if (devices.size() > 1)
      name = std::to_string(devices.size()) + " GPUs, " + name + " and others";
    try {
      auto counters = gauges_of(nvml, devices, &Nvml::total_joules);
      info.source = "NVML total energy of " + name;
      info.step_joules = step_joules;
      info.update_seconds = seen_update_seconds(counters.front().value, updates_within_seconds);
      found.sensors.emplace_back(info, places.clock, std::move(counters));
    } catch (const SensorError& e) {
      found.missing.push_back({"NVML total energy", e.what(), {Domain::gpu}});
    }
    for (const Device device : devices) nvml->watts(device);
    info.source = "NVML power of " + name;
    info.step_joules = 0;
    info.update_seconds = power_update_seconds;
    info.counts = false;
    found.sensors.emplace_back(info, places.clock, gauges_of(nvml, devices, &Nvml::watts));
  } catch (const SensorError& e) {
    found.missing.push_back({"NVML", e.what(), {Domain::gpu}});
  }
}

}  // namespace duoblas::power

#include "power/nvml.hpp"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "power/counter_update.hpp"
#include "power/nvml_library.hpp"
#include "power/power_integral.hpp"
#include "power/rising_counter.hpp"

namespace duoblas::power {
namespace {

using Device = NvmlLibrary::Device;
using SharedLibrary = std::shared_ptr<const NvmlLibrary>;

constexpr double step_joules = 1e-3;
// Boards from Volta to Hopper renew nvmlDeviceGetPowerUsage 10 times a second or more often.
constexpr double power_update_seconds = 0.1;
constexpr double longest_look = 0.4;

class NvmlEnergy : public PowerSensor {
 public:
  NvmlEnergy(SensorInfo info, SharedLibrary nvml, std::vector<Device> devices, PowerClock clock)
      : PowerSensor(std::move(info)),
        nvml_(std::move(nvml)),
        devices_(std::move(devices)),
        clock_(std::move(clock)) {
    NvmlEnergy::restart();
  }

  EnergyReading read() override {
    EnergyReading reading{clock_(), 0};
    for (std::size_t i = 0; i < devices_.size(); ++i)
      reading.joules += counters_[i].joules(reading.seconds, nvml_->total_joules(devices_[i]));
    return reading;
  }

  void restart() override {
    counters_.assign(devices_.size(), RisingCounter(std::numeric_limits<double>::infinity()));
  }

 private:
  SharedLibrary nvml_;
  std::vector<Device> devices_;
  PowerClock clock_;
  std::vector<RisingCounter> counters_;
};

class NvmlPower : public PowerSensor {
 public:
  NvmlPower(SensorInfo info, SharedLibrary nvml, std::vector<Device> devices, PowerClock clock)
      : PowerSensor(std::move(info)),
        nvml_(std::move(nvml)),
        devices_(std::move(devices)),
        clock_(std::move(clock)) {}

  EnergyReading read() override {
    const double seconds = clock_();
    double watts = 0;
    for (const Device device : devices_) watts += nvml_->watts(device);
    return {seconds, integral_.joules(seconds, watts)};
  }

  void restart() override { integral_ = {}; }

 private:
  SharedLibrary nvml_;
  std::vector<Device> devices_;
  PowerClock clock_;
  PowerIntegral integral_;
};

std::string title(const NvmlLibrary& nvml, const std::vector<Device>& devices) {
  std::string text = nvml.name(devices.front());
  if (devices.size() > 1) text = std::to_string(devices.size()) + " GPUs, " + text + " and others";
  return text;
}

}  // namespace

void find_nvml(const PowerPlaces& places, PowerSources& found) {
  constexpr const char* source = "NVML";
  SensorInfo info;
  info.domain = Domain::gpu;
  try {
    const auto nvml = std::make_shared<const NvmlLibrary>(places.nvml_library);
    const auto devices = places.gpu_address.empty()
                             ? nvml->devices()
                             : std::vector{nvml->device_at(places.gpu_address)};
    if (devices.empty()) throw SensorError("the driver has no GPU");
    const std::string name = title(*nvml, devices);
    try {
      info.source = "NVML total energy of " + name;
      info.step_joules = step_joules;
      info.update_seconds =
          seen_update_seconds([&] { return nvml->total_joules(devices.front()); }, longest_look);
      found.sensors.push_back(std::make_unique<NvmlEnergy>(info, nvml, devices, places.clock));
    } catch (const SensorError& e) {
      found.missing.push_back({"NVML total energy", e.what(), {Domain::gpu}});
    }
    for (const Device device : devices) nvml->watts(device);
    info.source = "NVML power of " + name;
    info.step_joules = 0;
    info.update_seconds = power_update_seconds;
    info.counts = false;
    found.sensors.push_back(std::make_unique<NvmlPower>(info, nvml, devices, places.clock));
  } catch (const SensorError& e) {
    found.missing.push_back({source, e.what(), {Domain::gpu}});
  }
}

}  // namespace duoblas::power

#include "power/amdgpu_hwmon.hpp"

#include "power/power_integral.hpp"

namespace duoblas::power {
namespace {

const std::string folder = "class/hwmon";
constexpr const char* source = "amdgpu hwmon";
constexpr double micro = 1e-6;
// The driver documents no interval. It asks the firmware at each read, at most once a millisecond;
// the firmware's average is slower.
constexpr double average_update_seconds = 0.1;
constexpr double input_update_seconds = 20e-3;

class HwmonPower : public PowerSensor {
 public:
  HwmonPower(SensorInfo info, const PowerPlaces& places, std::string file)
      : PowerSensor(std::move(info)),
        sysfs_(places.sysfs),
        clock_(places.clock),
        file_(std::move(file)) {}

  EnergyReading read() override {
    const double seconds = clock_();
    return {seconds, integral_.joules(seconds, sysfs_->number(file_) * micro)};
  }

  void restart() override { integral_ = {}; }

 private:
  std::shared_ptr<const SysfsTree> sysfs_;
  PowerClock clock_;
  std::string file_;
  PowerIntegral integral_;
};

// Only an APU has a northbridge, and so its voltage.
bool is_apu(const SysfsTree& sysfs, const std::string& path) {
  return sysfs.has(path + "/in1_label") && sysfs.text(path + "/in1_label") == "vddnb";
}

// "PCI_SLOT_NAME=0000:03:00.0" is among the device's properties.
bool is_address(const SysfsTree& sysfs, const std::string& path, const std::string& address) {
  return address.empty() ||
         sysfs.all_text(path + "/device/uevent").find("PCI_SLOT_NAME=" + address) !=
             std::string::npos;
}

void find_gpu(const PowerPlaces& places, const std::string& path, PowerSources& found) {
  const SysfsTree& sysfs = *places.sysfs;
  for (const char* file : {"power1_average", "power1_input"}) {
    const std::string power = path + "/" + file;
    if (!sysfs.has(power)) continue;
    sysfs.number(power);
    const bool average = power.ends_with("average");
    SensorInfo info;
    info.domain = is_apu(sysfs, path) ? Domain::package : Domain::gpu;
    info.source = std::string(source) + " " + file;
    info.counts = false;
    info.update_seconds = average ? average_update_seconds : input_update_seconds;
    found.sensors.push_back(std::make_unique<HwmonPower>(info, places, power));
    return;
  }
  throw SensorError(sysfs.real_path(path) + " tells no power");
}

}  // namespace

void find_amdgpu_hwmon(const PowerPlaces& places, PowerSources& found) {
  bool any = false;
  for (const std::string& name : places.sysfs->names(folder)) {
    const std::string path = folder + "/" + name;
    try {
      if (!places.sysfs->has(path + "/name") || places.sysfs->text(path + "/name") != "amdgpu" ||
          !is_address(*places.sysfs, path, places.gpu_address))
        continue;
      any = true;
      find_gpu(places, path, found);
    } catch (const SensorError& e) {
      found.missing.push_back({source, e.what(), {Domain::package, Domain::gpu}});
    }
  }
  if (!any)
    found.missing.push_back({source, "no GPU with AMD's driver", {Domain::package, Domain::gpu}});
}

}  // namespace duoblas::power

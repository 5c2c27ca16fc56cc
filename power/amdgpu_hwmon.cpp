#include "power/amdgpu_hwmon.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

struct PowerFile {
  std::string path;
  bool is_average = false;
};

// The watts of one GPU, or of several together.
class HwmonPower : public PowerSensor {
 public:
  HwmonPower(SensorInfo info, const PowerPlaces& places, std::vector<PowerFile> files)
      : PowerSensor(std::move(info)),
        sysfs_(places.sysfs),
        clock_(places.clock),
        files_(std::move(files)) {}

  EnergyReading read() override {
    const double seconds = clock_();
    double watts = 0;
    for (const PowerFile& file : files_) watts += sysfs_->number(file.path) * micro;
    return {seconds, integral_.joules(seconds, watts)};
  }

  void restart() override { integral_ = {}; }

 private:
  std::shared_ptr<const SysfsTree> sysfs_;
  PowerClock clock_;
  std::vector<PowerFile> files_;
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

PowerFile power_file(const SysfsTree& sysfs, const std::string& path) {
  for (const char* name : {"power1_average", "power1_input"}) {
    const PowerFile file{path + "/" + name, std::string_view(name).ends_with("average")};
    if (!sysfs.has(file.path)) continue;
    sysfs.number(file.path);
    return file;
  }
  throw SensorError(sysfs.real_path(path) + " tells no power");
}

void add_sensor(Domain domain, const std::vector<PowerFile>& files, const PowerPlaces& places,
                PowerSources& found) {
  if (files.empty()) return;
  const bool averages = std::ranges::any_of(files, &PowerFile::is_average);
  SensorInfo info;
  info.domain = domain;
  info.source = std::string(source) + (averages ? " power1_average" : " power1_input");
  if (files.size() > 1) info.source += " of " + std::to_string(files.size()) + " GPUs";
  info.counts = false;
  info.update_seconds = averages ? average_update_seconds : input_update_seconds;
  found.sensors.push_back(std::make_unique<HwmonPower>(info, places, files));
}

}  // namespace

void find_amdgpu_hwmon(const PowerPlaces& places, PowerSources& found) {
  const SysfsTree& sysfs = *places.sysfs;
  bool any = false;
  std::vector<PowerFile> chips, gpus;
  for (const std::string& name : sysfs.names(folder)) {
    const std::string path = folder + "/" + name;
    try {
      if (!sysfs.has(path + "/name") || sysfs.text(path + "/name") != "amdgpu") continue;
      // An APU's figure is the package's, whichever GPU counts.
      const bool apu = is_apu(sysfs, path);
      if (!apu && !is_address(sysfs, path, places.gpu_address)) continue;
      any = true;
      (apu ? chips : gpus).push_back(power_file(sysfs, path));
    } catch (const SensorError& e) {
      found.missing.push_back({source, e.what(), {Domain::package, Domain::gpu}});
    }
  }
  add_sensor(Domain::package, chips, places, found);
  add_sensor(Domain::gpu, gpus, places, found);
  if (!any)
    found.missing.push_back({source, "no GPU with AMD's driver", {Domain::package, Domain::gpu}});
}

}  // namespace duoblas::power

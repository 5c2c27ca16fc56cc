#include "power/nvml_library.hpp"

#include "os/dynamic_library.hpp"
#include "power/power_sensor.hpp"

namespace duoblas::power {
namespace {

constexpr double milli = 1e-3;
constexpr unsigned name_size = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE

}  // namespace

template <typename Function>
void NvmlLibrary::load(Function& function, const char* name) {
  function = reinterpret_cast<Function>(library_symbol(handle_, name));
}

NvmlLibrary::NvmlLibrary(const std::string& file) {
  handle_ = open_library(file.c_str());
  if (handle_ == nullptr) throw SensorError(why_no_library(file));
  load(init_, "nvmlInit_v2");
  load(shutdown_, "nvmlShutdown");
  load(error_text_, "nvmlErrorString");
  load(count_, "nvmlDeviceGetCount_v2");
  load(by_index_, "nvmlDeviceGetHandleByIndex_v2");
  load(by_address_, "nvmlDeviceGetHandleByPciBusId_v2");
  load(name_, "nvmlDeviceGetName");
  load(total_energy_, "nvmlDeviceGetTotalEnergyConsumption");
  load(power_, "nvmlDeviceGetPowerUsage");
  try {
    check(init_ ? init_() : -1, "nvmlInit");
  } catch (const SensorError&) {
    close_library(handle_);
    throw;
  }
}

// The library stays mapped: drivers do not like to be unloaded.
NvmlLibrary::~NvmlLibrary() {
  if (shutdown_ != nullptr) shutdown_();
}

void NvmlLibrary::check(Result result, const char* call) const {
  if (result == 0) return;
  std::string text = std::string(call) + ": ";
  if (result < 0)
    text += "this driver does not have it";
  else
    text += error_text_ ? error_text_(result) : "error " + std::to_string(result);
  throw SensorError(text);
}

std::vector<NvmlLibrary::Device> NvmlLibrary::devices() const {
  unsigned count = 0;
  check(count_ ? count_(&count) : -1, "nvmlDeviceGetCount");
  std::vector<Device> all(count);
  for (unsigned i = 0; i < count; ++i)
    check(by_index_ ? by_index_(i, &all[i]) : -1, "nvmlDeviceGetHandleByIndex");
  return all;
}

NvmlLibrary::Device NvmlLibrary::device_at(const std::string& pci_address) const {
  Device device = nullptr;
  check(by_address_ ? by_address_(pci_address.c_str(), &device) : -1,
        "nvmlDeviceGetHandleByPciBusId");
  return device;
}

std::string NvmlLibrary::name(Device device) const {
  char text[name_size] = {};
  check(name_ ? name_(device, text, sizeof text) : -1, "nvmlDeviceGetName");
  return text;
}

double NvmlLibrary::total_joules(Device device) const {
  unsigned long long millijoules = 0;
  check(total_energy_ ? total_energy_(device, &millijoules) : -1,
        "nvmlDeviceGetTotalEnergyConsumption");
  return static_cast<double>(millijoules) * milli;
}

double NvmlLibrary::watts(Device device) const {
  unsigned milliwatts = 0;
  check(power_ ? power_(device, &milliwatts) : -1, "nvmlDeviceGetPowerUsage");
  return milliwatts * milli;
}

}  // namespace duoblas::power

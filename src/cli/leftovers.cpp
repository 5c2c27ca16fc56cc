#include "cli/leftovers.hpp"

#include <algorithm>

#include "engine/engine.hpp"
#include "opencl/device.hpp"
#include "os/file_status.hpp"
#include "tuner/journal_lines.hpp"
#include "tuner/tuning_identity.hpp"

namespace duoblas::cli {

std::vector<PresentDevice> present_devices() {
  std::vector<PresentDevice> present;
  for (const cl::Device& device : cl::list_devices()) {
    const cl::DeviceInfo& info = device.info;
    PresentDevice here;
    here.name = info.name;
    here.driver = info.platform + ' ' + info.driver_version;
    here.platform = info.platform;
    here.driver_version = info.driver_version;
    here.device_version = info.device_version;
    here.build = cl::driver_build(device);
    here.origin = profile_origin(
        {info.name, info.vendor, info.is_cpu, info.native_vector_bytes, info.nvidia_capability});
    here.is_cpu = info.is_cpu;
    present.push_back(std::move(here));
  }
  return present;
}

std::string why_not_here(const std::vector<PresentDevice>& present, const std::string& device,
                         const std::string& driver) {
  const auto is_named = [&](const PresentDevice& here) { return here.name == device; };
  const auto here = std::ranges::find_if(present, is_named);
  if (here == present.end()) return "its device is not here: " + device;
  const bool fits = std::ranges::any_of(
      present, [&](const PresentDevice& one) { return is_named(one) && one.driver == driver; });
  return fits ? "" : "of another driver: " + driver + " (now " + here->driver + ")";
}

std::optional<OpenedMachine> opened_machine(const Settings& settings) try {
  Engine engine(settings);
  if (engine.gpu() == nullptr) return std::nullopt;
  OpenedMachine machine{engine.facts().profile_key(), {}};
  for (const Arithmetic arithmetic : arithmetics_of(engine.machine().device))
    machine.kernel_code[arithmetic] = journal_header(engine, arithmetic).code;
  return machine;
} catch (const Error&) {
  return std::nullopt;
}

std::time_t changed_at(const std::filesystem::path& file) {
  const auto status = link_status(file.string());
  return status ? static_cast<std::time_t>(status->changed) : 0;
}

}  // namespace duoblas::cli

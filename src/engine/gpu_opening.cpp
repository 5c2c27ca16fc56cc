#include "engine/gpu_opening.hpp"

#include <exception>
#include <new>

#include "cpu/host_environment.hpp"
#include "opencl/choose_device.hpp"
#include "opencl/device.hpp"

namespace duoblas {
namespace {

void note(std::string& problem, const char* text) noexcept {
  try {
    problem = text;
  } catch (const std::bad_alloc&) {
    problem = "memory is short";  // short enough to need none
  }
}

// PoCL keeps what it compiled on disk by itself, unless told not to. Asked for a program's binary,
// it compiles every kernel of it once more, for any work-group size: on a Xeon (PoCL 3.1, empty
// caches) trying a panel kernel took 2.0 to 3.3 s with a cache of ours and 0.9 to 1.8 s without,
// and with full ones 35 to 55 ms less than without.
bool keeps_programs(const cl::DeviceInfo& device) {
  return device.platform == "Portable Computing Language" &&
         host_variable("POCL_KERNEL_CACHE").value_or("1") != "0";
}

}  // namespace

GpuBounds gpu_bounds(const Settings& settings) {
  GpuBounds bounds;
  if (settings.launch_ms) bounds.launch_seconds = *settings.launch_ms * 1e-3;
  bounds.deadline_seconds = settings.gpu_deadline;
  return bounds;
}

OpenedGpu open_gpu(const Settings& settings, bool cpu_device_allowed) noexcept {
  OpenedGpu opened;
  try {
    const auto devices = cl::list_devices(&opened.problem);
    if (devices.empty()) return opened;
    const auto chosen =
        cl::choose_device(devices, settings.device, cpu_device_allowed, &opened.problem);
    if (!chosen) return opened;
    const GpuFolders folders{keeps_programs(chosen->info) ? "" : settings.cache_dir,
                             settings.kernel_dir};
    opened.side = std::make_unique<GpuSide>(*chosen, folders, settings.adapt,
                                            settings.device_memory, gpu_bounds(settings));
    opened.problem.clear();
  } catch (const std::exception& error) {
    opened.side.reset();
    note(opened.problem, error.what());
  }
  return opened;
}

OpenedGpu open_standin(const Settings& settings, const StandinHalves& halves) noexcept {
  // PoCL counts its compute units without looking at affinity, and pins its workers to core 0
  // upwards when POCL_AFFINITY is set; both are read when it starts.
  OpenedGpu opened;
  try {
    const ScopedVariable units("POCL_MAX_PTHREAD_COUNT", std::to_string(halves.gpu.size()));
    const ScopedVariable unpinned("POCL_AFFINITY", "0");
    const ScopedAffinity on_gpu_half(halves.gpu);
    opened = open_gpu(settings, true);
  } catch (const std::bad_alloc&) {
    note(opened.problem, "memory is short");
  }
  if (opened.side && opened.side->info().is_cpu &&
      opened.side->info().compute_units != static_cast<int>(halves.gpu.size())) {
    opened.side.reset();
    note(opened.problem,
         "the stand-in needs an OpenCL CPU device that was not started before in this process "
         "with another number of cores");
  }
  return opened;
}

}  // namespace duoblas

#include "engine/gpu_opening.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "opencl/choose_device.hpp"
#include "opencl/device.hpp"
#include "opencl/driver_needs.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/status_class.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/host_environment.hpp"

namespace duoblas {
namespace {

void note(std::string& problem, const char* text) noexcept {
  try {
    problem = text;
  } catch (const std::bad_alloc&) {
    problem = "memory is short";  // short enough to need none
  }
}

// True unless the user disabled it (PoCL; no other driver has this option).
bool keeps_programs(const cl::DeviceInfo& device) {
  return cl::quirks_of(device).keeps_programs &&
         host_variable("POCL_KERNEL_CACHE").value_or("1") != "0";
}

// The environment variables that drivers' compilers and OpenCL layers read; not those that only
// choose cores or devices.
std::string compiler_environment() {
  constexpr std::array<std::string_view, 12> prefixes = {
      "AMD_", "CLC_", "CL_CONFIG_", "CUDA_",         "GALLIVM_", "GPU_",
      "IGC_", "LP_",  "NIR_",       "OPENCL_LAYERS", "POCL_",    "RUSTICL_"};
  constexpr std::array<std::string_view, 8> others = {
      "CUDA_CACHE",    "CUDA_DEVICE", "CUDA_VISIBLE",     "GPU_DEVICE",
      "POCL_AFFINITY", "POCL_CACHE",  "POCL_MAX_PTHREAD", "RUSTICL_ENABLE"};
  const auto begins = [](std::string_view entry) {
    return [entry](std::string_view prefix) { return entry.starts_with(prefix); };
  };
  std::vector<std::string> found;
  for_each_host_variable([&](std::string_view entry) {
    if (std::ranges::any_of(prefixes, begins(entry)) && std::ranges::none_of(others, begins(entry)))
      found.emplace_back(entry);
  });
  std::ranges::sort(found);
  std::string all;
  for (const std::string& entry : found) all += entry + '\n';
  return all;
}

}  // namespace

Verification verification(const Settings& settings) {
  return {settings.check != CheckMode::off, verdict_folder(settings.cache_dir),
          compiler_environment()};
}

GpuBounds gpu_bounds(const Settings& settings) {
  GpuBounds bounds;
  if (settings.launch_ms) bounds.launch_seconds = *settings.launch_ms * 1e-3;
  if (settings.gpu_deadline) bounds.deadline_seconds = *settings.gpu_deadline;
  return bounds;
}

namespace {

// Whether Slurm gives each rank GPUs of its own (srun --gpus-per-task), and shows it no others. The
// ranks must be its tasks: those that mpirun starts in a task share what that has. A variable that
// shows one GPU to this rank may show the same one to all, so it tells nothing.
bool has_gpus_of_its_own(const Settings& settings) {
  const auto told = [](const char* name) { return host_variable(name).value_or(""); };
  const bool are_counted_by_task = !told("SLURM_GPUS_PER_TASK").empty() ||
                                   told("SLURM_TRES_PER_TASK").find("gpu") != std::string::npos;
  return are_counted_by_task && settings.device.empty() &&
         told("SLURM_STEP_NUM_TASKS") == std::to_string(settings.rank.in_job);
}

// Ranks take devices in turns. Sets `sharers`: how many have the same one, at most; the same number
// in all of them, or their plans would differ.
std::vector<cl::Device> devices_of(const Settings& settings, std::vector<cl::Device> chosen,
                                   int& sharers) {
  const Rank& rank = settings.rank;
  if (rank.on_host <= 1 && rank.number == 0) return chosen;
  chosen = cl::devices_for_ranks(std::move(chosen));
  if (chosen.empty()) return chosen;
  const int devices = static_cast<int>(chosen.size());
  if (devices > 1 || !has_gpus_of_its_own(settings)) sharers = (rank.on_host - 1) / devices + 1;
  return {std::move(chosen[static_cast<std::size_t>(rank.number % devices)])};
}

// Its side is null if it cannot be opened; `passed_over` then says why.
void open_side(const Settings& settings, const cl::Device& device, OpenedGpu& found) {
  try {
    cl::Device opened = device;
    if (settings.fp64 == Fp64Mode::integers) opened.info.has_fp64 = false;
    const auto sharers = static_cast<std::size_t>(found.sharers);
    opened.info.global_memory_bytes /= sharers;
    const GpuFolders folders{keeps_programs(device.info) ? "" : settings.cache_dir,
                             settings.kernel_dir};
    found.side =
        std::make_unique<GpuSide>(opened, folders, settings.adapt, settings.device_memory / sharers,
                                  gpu_bounds(settings), verification(settings));
  } catch (const std::exception& error) {
    found.left_out |= dynamic_cast<const cl::DriverLeftOut*>(&error) != nullptr;
    const auto* failed = dynamic_cast<const DeviceError*>(&error);
    found.is_held |= failed != nullptr && cl::says_device_is_held(failed->code());
    std::string& story = found.passed_over;
    if (!story.empty()) story += "; ";
    story += std::to_string(device.info.index) + ": " + device.info.name + ": " + error.what();
  }
}

}  // namespace

OpenedGpu open_gpu(const Settings& settings, bool cpu_device_allowed) noexcept {
  OpenedGpu opened;
  try {
    if (settings.device == "none") {  // no driver is asked, which may be one that hangs
      cl::matching_devices({}, settings.device, cpu_device_allowed, &opened.problem);
      return opened;
    }
    if (cl::driver_hangs()) {
      opened.problem = "a device of this process hangs, and no driver is asked any more";
      return opened;
    }
    const auto devices = cl::list_devices(&opened.problem, &opened.left_out);
    if (devices.empty()) return opened;
    // A device that could not even be described.
    opened.passed_over = std::exchange(opened.problem, {});
    const auto chosen = devices_of(
        settings,
        cl::matching_devices(devices, settings.device, cpu_device_allowed, &opened.problem),
        opened.sharers);
    for (const cl::Device& device : chosen) {
      open_side(settings, device, opened);
      // If this one hangs, the next one is useless: all of OpenCL is given up.
      if (opened.side || cl::driver_hangs()) break;
    }
    if (opened.side || chosen.empty()) return opened;
    opened.problem = std::exchange(opened.passed_over, {});
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
  // Other drivers inherit this thread's affinity, but report all cores of the machine.
  if (opened.side && opened.side->info().is_cpu &&
      cl::quirks_of(opened.side->info()).sized_at_start &&
      opened.side->info().compute_units != static_cast<int>(halves.gpu.size())) {
    opened.side.reset();
    note(opened.problem,
         "the stand-in needs an OpenCL CPU device that was not started before in this process "
         "with another number of cores");
  }
  return opened;
}

void prefer_tuned(GemvChoice& choice, const TunedGemvs& tuned) {
  for (const Precision precision : all_precisions)
    for (const bool transposes : {false, true})
      choice.prefer(precision, transposes, kernel_in(tuned, precision, transposes));
}

}  // namespace duoblas

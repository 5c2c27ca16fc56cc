#include "tuner/machine_peak.hpp"

#include <algorithm>
#include <system_error>

#include "gpu/gpu_side.hpp"
#include "tuner/cpu_peak.hpp"
#include "tuner/device_peak.hpp"
#include "tuner/side_cores.hpp"

namespace duoblas {
namespace {

Precision real_type(Precision precision) {
  return is_double(precision) ? Precision::d : Precision::s;
}

double peak_of_cores(const CpuLimits& limits, const CpuConfig& config, Precision precision) {
  const SideCores side = side_cores(limits, config);
  try {
    return cpu_peak(precision, side.cores, side.threads);
  } catch (const std::system_error&) {
    return 0;  // no threads to be had
  }
}

}  // namespace

MachinePeak measure_peak(Engine& engine, Precision precision) {
  MachinePeak peak;
  peak.precision = real_type(precision);
  const GpuSide* gpu = engine.gpu();
  if (gpu != nullptr) {
    for (const cl::Device& device : cl::list_devices()) {
      if (device.info.index != gpu->info().index) continue;
      // Where doubles go by integers, they have no peak of their own.
      if (peak.precision == Precision::d && gpu->limits().doubles_by_integers) {
        const auto bytes = device_byte_peak(device, gpu->limits(), engine.settings().kernel_dir);
        if (bytes) {
          peak.gpu_bytes = bytes->gflops;
          peak.gpu_bytes_how = bytes->how;
        }
        continue;
      }
      const auto found =
          device_peak(device, gpu->limits(), peak.precision, engine.settings().kernel_dir);
      if (!found) continue;
      peak.gpu = found->gflops;
      peak.gpu_how = found->how;
    }
  }
  const PlanMachine& machine = engine.machine();
  const CpuLimits& limits = engine.cpu().limits();
  const CpuConfig &side = machine.cpu_for(peak.precision),
                  &all = machine.cpu_all_for(peak.precision);
  peak.cpu_all = peak_of_cores(limits, all, peak.precision);
  const bool same = side.cores == all.cores;
  peak.cpu = same ? peak.cpu_all : peak_of_cores(limits, side, peak.precision);
  return peak;
}

double peak_for(const std::vector<MachinePeak>& peaks, const ComparisonRow& row) {
  const auto found = std::ranges::find(peaks, real_type(row.precision), &MachinePeak::precision);
  if (found == peaks.end() || row.recovered || row.seconds <= 0) return 0;
  if (row.kernel.empty()) return row.strategy == "cpu" ? found->cpu : found->cpu_all;
  if (row.gpu_parts == row.parts) return found->gpu;
  return found->gpu > 0 && found->cpu > 0 ? found->gpu + found->cpu : 0;
}

}  // namespace duoblas

#include "tuner/machine_bandwidth.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "timing/median.hpp"
#include "tuner/cpu_reader.hpp"
#include "tuner/device_reader.hpp"

namespace duoblas {
namespace {

constexpr double round_seconds = 0.04;
constexpr int bandwidth_rounds = 5;

void wait_a_round() {
  std::this_thread::sleep_for(std::chrono::duration<double>(round_seconds));
}

double cpu_rate(const ReadMemory& memory, const SideCores& side) {
  std::vector<double> rates;
  for (int round = 0; round < bandwidth_rounds; ++round)
    rates.push_back(cpu_reading_rate(memory, 0, memory.count(), side, wait_a_round));
  return median(rates);
}

// The device reads the first half of the memory, the CPU side the second.
void measure_both(DeviceReader& device, const ReadMemory& memory, const SideCores& side,
                  MemoryRates& rates) {
  const std::size_t half = memory.count() / 2;
  std::vector<double> of_cpu, of_gpu;
  for (int round = 0; round < bandwidth_rounds; ++round) {
    of_cpu.push_back(cpu_reading_rate(memory, half, half, side, [&] {
      of_gpu.push_back(device.in_place_rate(round_seconds, half));
    }));
  }
  rates.cpu_beside = median(of_cpu);
  rates.gpu_beside = median(of_gpu);
}

void measure_device(Engine& engine, const GpuSide& gpu, const ReadMemory& memory,
                    const SideCores& side, MemoryRates& rates) {
  OpenedDevice& opened = *gpu.device();
  const std::lock_guard guard(opened.mutex);
  // Even after an exception, the device is idle before the host's memory is freed.
  const struct Drained {
    OpenedDevice& device;
    ~Drained() { device.drain(); }
  } drained{opened};
  DeviceReader device(opened, engine.settings().kernel_dir);
  const std::size_t bytes = device.most_bytes(memory.bytes());
  rates.gpu = device.own_rate(memory, bytes);
  rates.launch_seconds = device.launch_seconds();
  rates.in_place = !copies(engine.machine().sharing) &&
                   device.bind_in_place(memory, bytes / sizeof(std::uint32_t));
  if (!rates.in_place) {
    rates.gpu_host = device.copied_rate(memory, bytes);
    return;
  }
  std::vector<double> in_place;
  for (int round = 0; round < bandwidth_rounds; ++round)
    in_place.push_back(device.in_place_rate(round_seconds, memory.count()));
  rates.gpu_host = median(in_place);
  measure_both(device, memory, side, rates);
}

}  // namespace

MemoryRates measure_memory_rates(Engine& engine) {
  MemoryRates rates;
  const GpuSide* gpu = engine.gpu();
  const PlanMachine& machine = engine.machine();
  const CpuLimits& limits = engine.cpu().limits();
  const SideCores side = side_cores(limits, machine.cpu_for(Precision::d));
  const SideCores all = side_cores(limits, machine.cpu_all_for(Precision::d));
  try {
    const ReadMemory memory(bytes_beyond_caches(), all);
    rates.cpu_all = cpu_rate(memory, all);
    rates.cpu = side == all ? rates.cpu_all : cpu_rate(memory, side);
    if (gpu != nullptr) measure_device(engine, *gpu, memory, side, rates);
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {
  } catch (const DeviceError&) {
  }
  return rates;
}

}  // namespace duoblas

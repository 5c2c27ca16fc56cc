// What benchmarks of calls that memory bounds have in common: what they run on, and how they choose
// among kernels.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "bench/named_options.hpp"
#include "bench/stream_operands.hpp"
#include "bench/vector_peer.hpp"
#include "gpu/device/opened_device.hpp"

namespace duoblas {

/// A device, with cuBLAS where it is at hand; with --host yes engines instead.
struct StreamBench {
  /// Reads --rounds, --sweep, --host, --device and --top. \throws DeviceError, SettingError.
  explicit StreamBench(const NamedOptions& options);

  int rounds;
  bool sweep;
  std::size_t top;  ///< kernels of a sweep that run in turns
  std::unique_ptr<OpenedDevice> device;
  std::unique_ptr<VectorPeer> peer;
  std::optional<HostStrategies> strategies;
};

/// Options of a benchmark beside those that StreamBench reads.
NamedOptions stream_options(std::vector<std::pair<std::string, std::string>> own);

/// The fastest kernels, `top` at most, by the lesser of two times. Prints those that the device
/// refuses.
template <typename Kernel, typename Seconds>
std::vector<Kernel> fastest_kernels(const std::vector<Kernel>& kernels, std::size_t top,
                                    Seconds&& seconds) {
  std::vector<std::pair<double, Kernel>> ranked;
  for (const Kernel& kernel : kernels) {
    try {
      ranked.emplace_back(std::min(seconds(kernel), seconds(kernel)), kernel);
    } catch (const DeviceError& error) {
      std::printf("  -  %s: %.200s\n", describe(kernel).c_str(), error.what());
    }
  }
  std::ranges::stable_sort(ranked, {}, &std::pair<double, Kernel>::first);
  if (ranked.size() > top) ranked.resize(top);
  std::vector<Kernel> fastest;
  for (const auto& [time, kernel] : ranked) fastest.push_back(kernel);
  return fastest;
}

}  // namespace duoblas

// The measured memory bandwidth of each side.
#pragma once

namespace duoblas {

/// Bytes a second that are read from arrays larger than all caches. 0: not measured, or there is
/// none.
struct MemoryRates {
  double cpu = 0, cpu_all = 0;  ///< the CPU side's cores, and all of them
  double gpu = 0;               ///< the device, from memory of its own
  double gpu_host = 0;          ///< the device, from the host's memory: in place, or copied to it
  bool in_place = false;        ///< whether gpu_host was measured in place
  /// While both read the host's memory; only where the device reads it in place.
  double cpu_beside = 0, gpu_beside = 0;
  double launch_seconds = 0;  ///< from a launch to its end, of a kernel that does nothing

  double both() const { return cpu_beside > 0 && gpu_beside > 0 ? cpu_beside + gpu_beside : 0; }
  /// Whether there is enough to plan by.
  bool are_known() const { return cpu_all > 0 && gpu > 0 && gpu_host > 0 && launch_seconds > 0; }
  friend bool operator==(const MemoryRates&, const MemoryRates&) = default;
};

/// Limits on rates in a profile's file, in bytes a second: far below and above any machine's.
inline constexpr double least_memory_rate = 1e6, most_memory_rate = 1e15;
/// The limit on `launch_seconds` there.
inline constexpr double longest_launch = 1;

}  // namespace duoblas

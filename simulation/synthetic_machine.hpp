// A simulated machine: makes recordings to demonstrate and to test searches.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "tuner/search/recording.hpp"

namespace duoblas {

struct SyntheticMachine {
  unsigned seed = 1;           ///< for the effects of fields, and for the noise
  double call_seconds = 0.02;  ///< of a good kernel and the CPU side together, about
  double gpu_share = 0.5;      ///< that a good kernel takes in the best split, about
  double build_seconds = 0.6;  ///< of a kernel
  double noise = 0.02;         ///< standard deviation of a sample, relative
  double drift = 0.01;         ///< relative slow change of the machine's speed
  /// The largest slow-down of both sides together. It depends on how a kernel uses memory.
  double contention = 0.05;
  double failing = 0;  ///< part of the kernels that are wrong
  int cpus = 1;        ///< CPU configurations, which differ by a few percent
  int parts = 16;
  int samples = 5;  ///< of each trial
};

/// The limits of a processor with vectors of 64 bytes.
DeviceLimits cpu_device_limits();

/// The first kernels that a search of sgemm would try there.
std::vector<KernelParams> some_kernels(std::size_t count);

/// Every trial of these kernels, and the 20 best candidates measured again.
Recording synthetic_recording(const std::vector<KernelParams>& kernels,
                              const SyntheticMachine& machine);

}  // namespace duoblas

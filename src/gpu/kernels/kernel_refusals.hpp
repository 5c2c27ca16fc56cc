// The kernels of gemm that a device has refused, or that computed something wrong. Products look
// for another one then (GpuSide::launchable).
#pragma once

#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/kernels/failed_builds.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Thread-safe. Compiled-in sizes make no other kernel.
class KernelRefusals {
 public:
  static constexpr double for_ever = std::numeric_limits<double>::infinity();

  explicit KernelRefusals(SteadySeconds clock) : clock_(clock) {}

  void note(const KernelParams& kernel, Precision precision, const std::string& why, double until);
  /// For ever. False: it already was.
  bool refuse(const KernelParams& kernel, Precision precision, const std::string& why);
  /// Why this kernel is refused now; empty if it is not.
  std::string why(const KernelParams& kernel, Precision precision) const;

 private:
  struct Refusal {
    KernelParams kernel;
    Precision precision;
    std::string why;
    double until = for_ever;
  };
  // \pre the mutex is held.
  const Refusal* find(const KernelParams& kernel, Precision precision) const;

  const SteadySeconds clock_;
  mutable std::mutex mutex_;
  std::vector<Refusal> refusals_;
};

}  // namespace duoblas

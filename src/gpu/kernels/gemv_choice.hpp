// The device's kernels of gemv: tuned ones, or the built-in ones.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

/// Thread-safe.
class GemvChoice {
 public:
  /// Sets the kernel from now on; nothing: the built-in one.
  void prefer(Precision precision, bool transposes, const std::optional<GemvKernel>& kernel) {
    const std::lock_guard guard(mutex_);
    preferred_[precision_index(precision)][transposes ? 1 : 0] = kernel;
  }
  /// The preferred kernel, if the device can launch it; else the built-in one.
  GemvKernel kernel(const DeviceLimits& device, Precision precision, bool transposes) const {
    std::optional<GemvKernel> wanted;
    {
      const std::lock_guard guard(mutex_);
      wanted = preferred_[precision_index(precision)][transposes ? 1 : 0];
    }
    if (wanted && is_legal(*wanted, device, precision, transposes)) return *wanted;
    return default_gemv_kernel(device, precision, transposes);
  }

 private:
  mutable std::mutex mutex_;
  std::array<std::array<std::optional<GemvKernel>, 2>, precision_count> preferred_;
};

}  // namespace duoblas

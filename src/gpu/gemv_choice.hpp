// Which kernel of gemv a device is given: the tuned one, or the built-in one.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "kernel_space/gemv_kernel.hpp"

namespace duoblas {

/// Thread-safe.
class GemvChoice {
 public:
  /// From now on; nothing: the built-in one.
  void prefer(Precision precision, bool transposes, const std::optional<GemvKernel>& kernel);
  /// The preferred one, where the device can launch it.
  GemvKernel kernel(const DeviceLimits& device, Precision precision, bool transposes) const;

 private:
  using OfType = std::array<std::optional<GemvKernel>, 2>;  ///< by whether op(A) transposes
  mutable std::mutex mutex_;
  std::array<OfType, precision_count> preferred_;
};

}  // namespace duoblas

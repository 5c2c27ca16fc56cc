// The device's kernels for memory-bound routines: tuned ones, or the built-in ones.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "kernel_space/stream_kernels.hpp"

namespace duoblas {

/// Thread-safe.
template <typename Kernels>
class KernelChoice {
 public:
  using Kernel = typename Kernels::Kernel;

  /// Sets the kernel from now on; nothing: the built-in one. `transposes` matters if the routine
  /// has two forms.
  void prefer(Precision precision, bool transposes, const std::optional<Kernel>& kernel) {
    const std::lock_guard guard(mutex_);
    place(precision, transposes) = kernel;
  }
  /// The preferred kernel, if the device can launch it; else the built-in one.
  Kernel kernel(const DeviceLimits& device, Precision precision, bool transposes) const {
    std::optional<Kernel> wanted;
    {
      const std::lock_guard guard(mutex_);
      wanted = preferred_[precision_index(precision)][form(transposes)];
    }
    if (wanted && Kernels::is_legal(*wanted, device, precision, transposes)) return *wanted;
    return Kernels::builtin(device, precision, transposes);
  }

 private:
  static std::size_t form(bool transposes) { return Kernels::has_forms && transposes ? 1 : 0; }
  std::optional<Kernel>& place(Precision precision, bool transposes) {
    return preferred_[precision_index(precision)][form(transposes)];
  }

  mutable std::mutex mutex_;
  std::array<std::array<std::optional<Kernel>, 2>, precision_count> preferred_;
};

/// The choices of one device.
struct StreamChoices {
  KernelChoice<GemvKernels> gemv;
  KernelChoice<GerKernels> ger;
  KernelChoice<AxpyKernels> axpy;
  KernelChoice<CopyKernels> omatcopy;
};

}  // namespace duoblas

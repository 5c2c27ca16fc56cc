// The built-in kernels of a routine that memory limits (facts/kernels.txt).
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/made_once.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// For each kind of device and type the kernel of one use. Read once, since every call asks.
template <class Kernel>
class BuiltInStream {
 public:
  constexpr BuiltInStream(std::string_view use, Kernel (*kernel_of)(const std::string&))
      : use_(use), kernel_of_(kernel_of) {}

  const Kernel& of(const DeviceLimits& device, Precision precision) {
    return made_once(kernels_, [this] { return read(); })
        .of[device.is_cpu ? 1 : 0][precision_index(precision)];
  }

 private:
  struct Kernels {
    Kernel of[2][precision_count];
  };

  Kernels read() const {
    Kernels kernels;
    for (const bool of_cpu : {false, true})
      for (const Precision precision : all_precisions)
        kernels.of[of_cpu ? 1 : 0][precision_index(precision)] =
            kernel_of_(std::string(built_in_text(use_, of_cpu, precision)));
    return kernels;
  }

  std::string_view use_;
  Kernel (*kernel_of_)(const std::string&);
  std::atomic<const Kernels*> kernels_ = nullptr;
};

/// Elements of the widest vectors of a CPU device; on others sixteen bytes are the widest access of
/// a work-item.
inline int widest_vector(const DeviceLimits& device, Precision precision) {
  const int part = is_double(precision) ? 8 : 4, numbers = reals_of(precision);
  const int bytes = device.is_cpu ? device.vector_bytes : 16;
  return std::clamp(bytes / part, numbers, 16) / numbers;
}

}  // namespace duoblas

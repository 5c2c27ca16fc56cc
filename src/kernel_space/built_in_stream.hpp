// The built-in kernels of a routine that memory limits (facts/kernels.txt).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "kernel_space/built_in_rows.hpp"
#include "kernel_space/device_limits.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// For each kind of device and type the kernel of one use. Read once, since every call asks.
template <class Kernel>
class BuiltInStream {
 public:
  BuiltInStream(std::string_view use, Kernel (*kernel_of)(const std::string&)) {
    for (const bool of_cpu : {false, true})
      for (const Precision precision : all_precisions)
        kernels_[of_cpu ? 1 : 0][precision_index(precision)] =
            kernel_of(std::string(built_in_text(use, of_cpu, precision)));
  }

  const Kernel& of(const DeviceLimits& device, Precision precision) const {
    return kernels_[device.is_cpu ? 1 : 0][precision_index(precision)];
  }

 private:
  Kernel kernels_[2][precision_count];
};

/// Elements of the widest vectors of a CPU device; on others sixteen bytes are the widest access of
/// a work-item.
inline int widest_vector(const DeviceLimits& device, Precision precision) {
  const int part = is_double(precision) ? 8 : 4, numbers = is_complex(precision) ? 2 : 1;
  const int bytes = device.is_cpu ? device.vector_bytes : 16;
  return std::clamp(bytes / part, numbers, 16) / numbers;
}

}  // namespace duoblas

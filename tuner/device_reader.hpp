// Measures how fast a device reads memory: its own, or the host's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "opencl/handles.hpp"
#include "tuner/cpu_reader.hpp"

namespace duoblas {

/// The caller has the device for itself. Every \throws is DeviceError; one reason is a sum that is
/// not that of the numbers to be read.
class DeviceReader {
 public:
  /// Compiles kernels/read_sum.cl in a few forms. \throws
  DeviceReader(OpenedDevice& device, const std::string& kernel_dir);

  /// The largest buffer, up to `wanted` bytes, that fits the device's memory beside what stays
  /// there.
  std::size_t most_bytes(std::size_t wanted) const;

  /// Bytes a second from the device's own memory, for numbers that are copied there. Later
  /// measurements use the form that was fastest. \throws
  double own_rate(const ReadMemory& memory, std::size_t bytes);
  /// For numbers that are copied to the device, as products' operands are, and then read. \throws
  double copied_rate(const ReadMemory& memory, std::size_t bytes);

  /// Whether the device can read the first `count` numbers in place. \throws
  bool bind_in_place(const ReadMemory& memory, std::size_t count);
  /// Bytes a second of the first `count` of those, over at least this many seconds. \pre
  /// bind_in_place() returned true. \throws
  double in_place_rate(double seconds, std::size_t count);

  /// Seconds from the launch of a kernel with hardly any work to its end. \throws
  double launch_seconds();

 private:
  struct Form {
    int width, unroll, items_per_unit;
  };
  struct Numbers {
    BoundOperand where;
    std::size_t count = 0;  ///< from the first on
  };
  struct Built {
    Form form;
    cl::Program program;
    cl::Kernel kernel;
  };
  double seconds_of(Built& built, const Numbers& numbers, int launches);
  double rate_of(Built& built, const Numbers& numbers, double seconds);
  void require_sum(Built& built, const Numbers& numbers);
  Numbers copied(const ReadMemory& memory, std::size_t bytes);
  cl::Range range_of(const Form& form) const;

  OpenedDevice& device_;
  std::vector<Built> built_;
  std::size_t best_ = 0;
  cl::Buffer sums_;
  Numbers in_place_;
};

}  // namespace duoblas

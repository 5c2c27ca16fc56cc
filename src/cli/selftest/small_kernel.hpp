// The least OpenCL program there is, for what is not about matrix products.
#pragma once

#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas::cli::selftest {

/// One device, opened beside the engine's, with a kernel that adds to `numbers`.
struct SmallKernel {
  /// \throws DeviceError.
  explicit SmallKernel(const cl::DeviceInfo& wanted);

  /// One launch: `items` numbers, `rounds` times each.
  void set_rounds(int rounds) { kernel.set_argument(1, rounds); }
  static constexpr std::size_t items = 1024;

  cl::Context context;
  cl::Queue queue;
  cl::Buffer numbers;
  cl::Kernel kernel;
};

}  // namespace duoblas::cli::selftest

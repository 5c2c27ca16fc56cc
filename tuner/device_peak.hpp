// The measured peak rate of multiply-adds of a device.
#pragma once

#include <optional>
#include <string>

#include "kernel_space/device_limits.hpp"
#include "opencl/device.hpp"
#include "problem/precision.hpp"

namespace duoblas {

struct DevicePeak {
  double gflops = 0;  ///< a multiply-add is two
  std::string how;    ///< "8 chains of fma, vectors of 4"
};

/// The best rate of kernels with independent chains of multiply-adds (kernels/peak.cl), over vector
/// widths and numbers of chains; for doubles also of matrix instructions if the device has them.
/// Floats for s and c, doubles for d and z. Takes at most a second beside the compiler's time.
/// Nothing if the device has no double precision, runs none of these kernels, or leaves loops
/// early. (RaijinCL gives its rates as parts of such a peak: R. Garg and L. Hendren, A portable and
/// high-performance general matrix-multiply (GEMM) library for GPUs and single-chip CPU/GPU
/// systems, PDP 2014, table I.) `kernel_dir`: as in Settings. Throws only std::bad_alloc.
std::optional<DevicePeak> device_peak(const cl::Device& device, const DeviceLimits& limits,
                                      Precision precision, const std::string& kernel_dir);

/// The same of products of signed bytes, added to ints: four products, or blocks of them, an
/// instruction. In 10^9 operations a second.
std::optional<DevicePeak> device_byte_peak(const cl::Device& device, const DeviceLimits& limits,
                                           const std::string& kernel_dir);

}  // namespace duoblas

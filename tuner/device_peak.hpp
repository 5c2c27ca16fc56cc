// What a device can multiply and add at most, measured.
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

/// The best of kernels that multiply and add in chains that do not wait for each other
/// (kernels/peak.cl), by vector width and number of chains; of doubles by matrix instructions too,
/// where the device has such. Floats for s and c, doubles for d and z. It takes a second at most
/// beside the compiler's time. Nothing where the device has no double precision, runs none of these
/// kernels, or leaves loops early. (RaijinCL gives its rates as parts of such a peak: R. Garg and
/// L. Hendren, A portable and high-performance general matrix-multiply (GEMM) library for GPUs and
/// single-chip CPU/GPU systems, PDP 2014, table I.) `kernel_dir` as Settings has it. Never throws
/// but std::bad_alloc.
std::optional<DevicePeak> device_peak(const cl::Device& device, const DeviceLimits& limits,
                                      Precision precision, const std::string& kernel_dir);

}  // namespace duoblas

// A matrix that is factorised, on a device that works on copies: the device has all of it for the
// length of the call, and panels go there and come back.
//
//     host     panel 0 | ............ | panel 1 | ............ | panel 2
//     bus      all of A, panel 0 ->   <- columns 1   panel 1 ->   <- columns 2
//     device   columns 1 | the rest   | columns 2 | the rest   |          updates by panel 0, 1, ..
//
// What is not a panel yet keeps its old values in the caller's memory: each block of columns (of an
// upper Cholesky factor, rows) comes back once, when it has all updates. So after a failure the CPU
// applies the panels that are done to what is left.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/opened_device.hpp"
#include "kernel_space/kernel_params.hpp"
#include "planner/device_blocks.hpp"
#include "problem/cut.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

class FactorsOnDevice {
 public:
  virtual ~FactorsOnDevice() = default;

  /// Sends what is there from this column on: all but the first panel. \throws DeviceError.
  virtual void send(std::int64_t first) = 0;
  /// Updates all behind a panel that is factorised in the caller's memory, `next` first, which then
  /// is on its way back. \throws DeviceError.
  virtual void apply(Interval panel, Interval next) = 0;
  /// Waits until `next` is in the caller's memory. \throws DeviceError.
  virtual void wait_for_next() = 0;
  /// Waits for what else is under way. \throws DeviceError.
  virtual void finish() = 0;
  /// After something has thrown: nothing is under way any more. So many columns of `next` are in
  /// the caller's memory; the others, and all behind, are as they were sent.
  virtual std::int64_t abandon() noexcept = 0;
};

/// Memory of the device that it takes; nothing: some number of it is larger than kernels, a buffer
/// or the way back may have, or it is not there.
std::optional<DeviceBytes> device_bytes(const LapackProblem& p, const KernelParams& kernel,
                                        std::int64_t width, const DeviceLimits& limits);

/// Allocates and builds, and has the device's mutex until it ends. `width`: of panels. \throws
/// DeviceError with nothing written.
std::unique_ptr<FactorsOnDevice> make_factors(const std::shared_ptr<OpenedDevice>& device,
                                              const LapackProblem& p, const KernelParams& kernel,
                                              std::int64_t width);

/// One product for each kernel that it uses.
std::vector<GemmProblem> products_by_kernel(const LapackProblem& p, const KernelParams& kernel,
                                            std::int64_t width);

}  // namespace duoblas

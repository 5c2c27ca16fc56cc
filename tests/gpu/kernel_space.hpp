// What a run of kernel_space_test is about: the device, its limits, the points that are tried.
#pragma once

#include <memory>
#include <string>

#include "gpu/gpu_side.hpp"
#include "gpu/kernel_sampler.hpp"
#include "support/turns.hpp"

namespace duoblas::test {

/// Set by the program's arguments and environment (kernel_space_main.cpp).
struct SpaceOptions {
  unsigned seed = 1;
  bool exhaustive = false;
  std::string device;  ///< as DUOBLAS_DEVICE; empty: the first GPU, or else the CPU

  DrawsPerStratum draws() const {
    if (exhaustive) return {80, 80};
    return all_is_wanted() ? DrawsPerStratum{4, 4} : DrawsPerStratum{2, 1};
  }
};

SpaceOptions& space_options();

/// The device, opened; anew after every few kernels, so that compiled ones do not pile up, and that
/// sizes go on being compiled in (src/gpu/product/product.cpp stops at 64 variants).
class SpaceDevice {
 public:
  SpaceDevice();
  GpuSide& side() { return *side_; }
  void next_kernel();

 private:
  cl::Device device_;
  std::unique_ptr<GpuSide> side_;
  int kernels_ = 0;
};

/// The same in every process of a run: ctest runs the tests one by one.
const SpacePlan& space_plan(const DeviceLimits& limits);

/// Why this device has not got the value: the least that it lacks. Empty: nothing that a device
/// could have gives the family this value.
std::string what_lacks(const FieldValue& value, const DeviceLimits& limits);

}  // namespace duoblas::test

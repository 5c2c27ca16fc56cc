// One GPU side for all tests of a process. A driver that keeps no kernels compiles them once then,
// where a program's tests run in one process (tests/drivers).
#pragma once

#include "gpu/gpu_side.hpp"
#include "support/first_device.hpp"

namespace duoblas::test {

inline GpuSide& one_side() {
  static auto* const once = new GpuSide(first_device(), {});
  return *once;
}

}  // namespace duoblas::test

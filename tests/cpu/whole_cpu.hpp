// The CPU side of tests that need no limits of their own.
#pragma once

#include "cpu/cpu_side.hpp"

namespace duoblas::test {

/// All cores that the process may use, with the CPU BLAS that is found. One for the process.
inline CpuSide& cpu() {
  static auto* const side = new CpuSide(cpu_limits("", 0), "");
  return *side;
}

}  // namespace duoblas::test

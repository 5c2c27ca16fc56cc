// Compilers of drivers, and the trials of what they made, on a stack that suffices.
#pragma once

#include <utility>

#include "opencl/build_under_way.hpp"
#include "os/own_stack.hpp"

namespace duoblas {

/// on_own_stack() for a kernel's build and its trial. exit() in this thread waits for builds from
/// now on, as if it had built the kernel itself.
template <typename Work>
auto on_build_stack(Work&& work) {
  cl::let_exit_here_wait_for_builds();
  return on_own_stack(std::forward<Work>(work));
}

}  // namespace duoblas

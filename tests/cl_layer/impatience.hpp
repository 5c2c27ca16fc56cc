// A device that is given up soon, in tests of drivers that hang.
#pragma once

#include "engine/engine.hpp"
#include "gpu/gpu_side.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas::test {

/// From now on. Before, the device has all the time that a busy machine takes for what it is to do:
/// a deadline from the start would be over on such a machine, though nothing hangs.
inline void lose_patience(Engine& engine) {
  engine.gpu()->device()->context.wait_deadline()->set_base(0.5);
}

}  // namespace duoblas::test

#include "opencl/wait_deadline.hpp"

#include <string>

namespace duoblas::cl {

void WaitDeadline::give_up(double waited) {
  over_.store(true);
  note_hung_driver();
  if (waited == 0)
    throw DeviceHung("the device hangs (DUOBLAS_GPU_DEADLINE), and is not asked again");
  throw DeviceHung("the device did not end its work within " +
                   std::to_string(static_cast<int>(waited + 0.5)) +
                   " s (DUOBLAS_GPU_DEADLINE): it or its driver hangs");
}

}  // namespace duoblas::cl

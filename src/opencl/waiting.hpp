// Waiting without a call that cannot be left.
#pragma once

#include "opencl/function_table.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas::cl {

/// What the driver says of a command. \throws DeviceError.
cl_int status_of(cl_event event);

/// Polls until the command has ended, for a short while without pause and then ever more rarely.
/// Where there is no deadline (or no `wait_deadline`) it returns after the short while: the
/// driver's own wait is the better one. \throws DeviceHung.
void poll_until_ended(cl_event event, WaitDeadline* wait_deadline);

}  // namespace duoblas::cl

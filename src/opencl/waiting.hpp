// Waiting that can be given up.
#pragma once

#include "opencl/function_table.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas::cl {

/// The status that the driver reports for a command. \throws DeviceError.
cl_int status_of(cl_event event);

/// Polls until the command has ended, for a short while without pause and then ever more rarely. If
/// there is no deadline (or no `wait_deadline`) it returns after the short while, because then the
/// driver's own wait is better. \throws DeviceHung.
void poll_until_ended(cl_event event, WaitDeadline* wait_deadline);

}  // namespace duoblas::cl

// A driver that never comes back from a wait: told to, commands never end, as far as anybody can
// see, and calls that wait for them never return.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

namespace duoblas::layer {

/// Does not return where the driver hangs.
void hang_if_told() noexcept;

/// The status of an event as it is to be seen.
cl_int shown_status(cl_int status) noexcept;

}  // namespace duoblas::layer

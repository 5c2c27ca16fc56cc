// Whether the program uses OpenCL's memory objects as the standard says. PoCL forgives much of what
// another driver does not.
#pragma once

#include "cl_layer/cl_api.hpp"

namespace duoblas::layer {

/// Puts the check between the layer and the driver. The process ends, with a line that says why, if
/// a memory object that is gone is retained, released, divided, asked or filled, or if a kernel is
/// launched with one. (Kernels keep no references to what their arguments are.)
void put_memory_check(cl_icd_dispatch& driver);

}  // namespace duoblas::layer

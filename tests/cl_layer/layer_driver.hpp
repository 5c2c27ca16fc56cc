// The driver that tests play: what its devices say of themselves, what it refuses, what fails.
#pragma once

#include <CL/cl_layer.h>

namespace duoblas::layer {

/// Puts the played driver over `layered`, whose functions count and pass on.
void play_driver(cl_icd_dispatch& layered);

}  // namespace duoblas::layer

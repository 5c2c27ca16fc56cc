// Drivers that treat the host's memory otherwise than the one below: what OpenCL allows, and this
// machine does not have.
#pragma once

#include "cl_layer/cl_api.hpp"

namespace duoblas::layer {

/// "": as the driver does, or "shadow" and "locking" on a discrete GPU that is played. Else
/// CL_MEM_USE_HOST_PTR silently makes a copy, which kernels read and write, and which a map brings
/// back whole,
///   "shadow": always, though the device says that its memory is the host's;
///   "pages": unless the window is of whole pages;
///   "anonymous": of memory that belongs to a file or is shared with other processes;
///   "incoherent": of the same, by a GPU with caches of its own;
///   "refusing": no copy of such memory is made, it is refused;
///   "locking": never, but no command copies rows that begin under such a buffer and end behind it,
///   nor rows of a buffer whose last one is not there as a whole; and distances between the host's
///   rows are counted in 32 bits.
void set_memory_model(const char* name);

/// Whether the device is to say that it is a GPU, whose memory is coherent at maps only.
bool is_incoherent();

/// Whether DUOBLAS_LAYER_GPU is in the environment.
bool plays_discrete_gpu();

/// Puts the model, which also counts parts of buffers that outlive the program's references to
/// their whole, between the layer and the driver.
void put_memory_model(cl_icd_dispatch& driver);

}  // namespace duoblas::layer

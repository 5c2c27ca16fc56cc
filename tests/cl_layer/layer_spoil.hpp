// Kernels that compute something else: told to, products leave C wrong.
#pragma once

#include <cstddef>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <CL/cl_icd.h>

namespace duoblas::layer {

/// What the product kernel was given: kernels/README.md has the order.
void note_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value);
void forget_arguments(cl_kernel kernel);

/// Whether this launch of a product is not to be done at all.
bool is_left_out(cl_kernel kernel);
/// Behind a launch: spoils its C, if that is what was told. Waits for the queue.
void spoil_result(const cl_icd_dispatch& driver, cl_command_queue queue, cl_kernel kernel);

}  // namespace duoblas::layer

// The OpenCL functions in use, found in libOpenCL.so.1 at the first call. The library is never
// linked: a program starts without OpenCL, and one that never multiplies never maps it.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120  // what every driver in facts has; nothing newer is needed
#endif
#include <CL/cl.h>

#include <string>

// Every function that the library may call. The test layer covers the same list.
#define DUOBLAS_OPENCL_FUNCTIONS(X)           \
  X(clGetPlatformIDs)                         \
  X(clGetPlatformInfo)                        \
  X(clGetExtensionFunctionAddressForPlatform) \
  X(clGetDeviceIDs)                           \
  X(clGetDeviceInfo)                          \
  X(clCreateContext)                          \
  X(clReleaseContext)                         \
  X(clRetainContext)                          \
  X(clCreateCommandQueue)                     \
  X(clReleaseCommandQueue)                    \
  X(clRetainCommandQueue)                     \
  X(clGetCommandQueueInfo)                    \
  X(clCreateBuffer)                           \
  X(clCreateSubBuffer)                        \
  X(clCreateImage)                            \
  X(clReleaseMemObject)                       \
  X(clRetainMemObject)                        \
  X(clGetMemObjectInfo)                       \
  X(clCreateProgramWithSource)                \
  X(clCreateProgramWithBinary)                \
  X(clBuildProgram)                           \
  X(clGetProgramInfo)                         \
  X(clGetProgramBuildInfo)                    \
  X(clReleaseProgram)                         \
  X(clCreateKernel)                           \
  X(clSetKernelArg)                           \
  X(clGetKernelWorkGroupInfo)                 \
  X(clReleaseKernel)                          \
  X(clEnqueueNDRangeKernel)                   \
  X(clEnqueueWriteBuffer)                     \
  X(clEnqueueWriteBufferRect)                 \
  X(clEnqueueReadBuffer)                      \
  X(clEnqueueReadBufferRect)                  \
  X(clEnqueueCopyBuffer)                      \
  X(clEnqueueCopyBufferRect)                  \
  X(clEnqueueFillBuffer)                      \
  X(clEnqueueBarrierWithWaitList)             \
  X(clEnqueueMapBuffer)                       \
  X(clEnqueueUnmapMemObject)                  \
  X(clFlush)                                  \
  X(clFinish)                                 \
  X(clWaitForEvents)                          \
  X(clGetEventInfo)                           \
  X(clGetEventProfilingInfo)                  \
  X(clReleaseEvent)

namespace duoblas::cl {

struct FunctionTable {
#define DUOBLAS_OPENCL_MEMBER(function) decltype(&::function) function = nullptr;
  DUOBLAS_OPENCL_FUNCTIONS(DUOBLAS_OPENCL_MEMBER)
#undef DUOBLAS_OPENCL_MEMBER
};

/// Null if there is no usable libOpenCL.so.1; `why_not` (if given) then says what to install. Loads
/// the library at the first call; the result holds for the life of the process.
const FunctionTable* find_functions(std::string* why_not = nullptr);

/// The table. \throws DeviceError if there is none.
const FunctionTable& functions();

}  // namespace duoblas::cl

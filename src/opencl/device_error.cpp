#include "opencl/device_error.hpp"

#include <duoblas/error.hpp>

#include "opencl/function_table.hpp"

namespace duoblas::cl {
namespace {

struct NamedError {
  int code;
  const char* name;
};

#define DUOBLAS_NAMED(code) \
  { code, #code }
constexpr NamedError names[] = {
    DUOBLAS_NAMED(CL_SUCCESS),
    DUOBLAS_NAMED(CL_DEVICE_NOT_FOUND),
    DUOBLAS_NAMED(CL_DEVICE_NOT_AVAILABLE),
    DUOBLAS_NAMED(CL_COMPILER_NOT_AVAILABLE),
    DUOBLAS_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    DUOBLAS_NAMED(CL_OUT_OF_RESOURCES),
    DUOBLAS_NAMED(CL_OUT_OF_HOST_MEMORY),
    DUOBLAS_NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    DUOBLAS_NAMED(CL_MEM_COPY_OVERLAP),
    DUOBLAS_NAMED(CL_IMAGE_FORMAT_MISMATCH),
    DUOBLAS_NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    DUOBLAS_NAMED(CL_BUILD_PROGRAM_FAILURE),
    DUOBLAS_NAMED(CL_MAP_FAILURE),
    DUOBLAS_NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    DUOBLAS_NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    DUOBLAS_NAMED(CL_COMPILE_PROGRAM_FAILURE),
    DUOBLAS_NAMED(CL_LINKER_NOT_AVAILABLE),
    DUOBLAS_NAMED(CL_LINK_PROGRAM_FAILURE),
    DUOBLAS_NAMED(CL_DEVICE_PARTITION_FAILED),
    DUOBLAS_NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    DUOBLAS_NAMED(CL_INVALID_VALUE),
    DUOBLAS_NAMED(CL_INVALID_DEVICE_TYPE),
    DUOBLAS_NAMED(CL_INVALID_PLATFORM),
    DUOBLAS_NAMED(CL_INVALID_DEVICE),
    DUOBLAS_NAMED(CL_INVALID_CONTEXT),
    DUOBLAS_NAMED(CL_INVALID_QUEUE_PROPERTIES),
    DUOBLAS_NAMED(CL_INVALID_COMMAND_QUEUE),
    DUOBLAS_NAMED(CL_INVALID_HOST_PTR),
    DUOBLAS_NAMED(CL_INVALID_MEM_OBJECT),
    DUOBLAS_NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    DUOBLAS_NAMED(CL_INVALID_IMAGE_SIZE),
    DUOBLAS_NAMED(CL_INVALID_SAMPLER),
    DUOBLAS_NAMED(CL_INVALID_BINARY),
    DUOBLAS_NAMED(CL_INVALID_BUILD_OPTIONS),
    DUOBLAS_NAMED(CL_INVALID_PROGRAM),
    DUOBLAS_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    DUOBLAS_NAMED(CL_INVALID_KERNEL_NAME),
    DUOBLAS_NAMED(CL_INVALID_KERNEL_DEFINITION),
    DUOBLAS_NAMED(CL_INVALID_KERNEL),
    DUOBLAS_NAMED(CL_INVALID_ARG_INDEX),
    DUOBLAS_NAMED(CL_INVALID_ARG_VALUE),
    DUOBLAS_NAMED(CL_INVALID_ARG_SIZE),
    DUOBLAS_NAMED(CL_INVALID_KERNEL_ARGS),
    DUOBLAS_NAMED(CL_INVALID_WORK_DIMENSION),
    DUOBLAS_NAMED(CL_INVALID_WORK_GROUP_SIZE),
    DUOBLAS_NAMED(CL_INVALID_WORK_ITEM_SIZE),
    DUOBLAS_NAMED(CL_INVALID_GLOBAL_OFFSET),
    DUOBLAS_NAMED(CL_INVALID_EVENT_WAIT_LIST),
    DUOBLAS_NAMED(CL_INVALID_EVENT),
    DUOBLAS_NAMED(CL_INVALID_OPERATION),
    DUOBLAS_NAMED(CL_INVALID_GL_OBJECT),
    DUOBLAS_NAMED(CL_INVALID_BUFFER_SIZE),
    DUOBLAS_NAMED(CL_INVALID_MIP_LEVEL),
    DUOBLAS_NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    DUOBLAS_NAMED(CL_INVALID_PROPERTY),
    DUOBLAS_NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
    DUOBLAS_NAMED(CL_INVALID_COMPILER_OPTIONS),
    DUOBLAS_NAMED(CL_INVALID_LINKER_OPTIONS),
    DUOBLAS_NAMED(CL_INVALID_DEVICE_PARTITION_COUNT),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},  // cl_icd.h's number: the loader found no driver
};
#undef DUOBLAS_NAMED

const char* advice(int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return "use smaller matrices on this device, close other programs that use it, or set "
             "DUOBLAS_STRATEGY=cpu";
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BUILD_OPTIONS:
      return "this driver does not compile the kernel: update it, or tune again so that another "
             "kernel is chosen";
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_LINKER_NOT_AVAILABLE:
      return "this driver comes without a compiler: install its full package";
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE: return "the tuned kernel does not fit this device: tune again";
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_DEVICE:
    case CL_INVALID_PLATFORM:
    case -1001:
      return "choose a device that `duoblas devices` lists (DUOBLAS_DEVICE), or install an OpenCL "
             "driver";
    default:
      return "if it happens again, update the driver, choose another device (DUOBLAS_DEVICE) or "
             "set "
             "DUOBLAS_STRATEGY=cpu";
  }
}

}  // namespace

const char* error_name(int code) {
  for (const NamedError& known : names) {
    if (known.code == code) return known.name;
  }
  return "unknown OpenCL error";
}

void throw_failed(const char* call, int code, const std::string& detail) {
  std::string text = std::string(call) + " failed: " + error_name(code) + " (" +
                     std::to_string(code) + "); " + advice(code);
  if (!detail.empty()) text += "\n" + detail;
  throw DeviceError(text, code);
}

}  // namespace duoblas::cl

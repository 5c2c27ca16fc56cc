#include "opencl/status_class.hpp"

#include "opencl/function_table.hpp"

namespace duoblas::cl {

StatusClass status_class(int code) {
  switch (code) {
    case CL_SUCCESS: return StatusClass::declined;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MAP_FAILURE: return StatusClass::passing_shortage;
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_IMAGE_SIZE:
    case CL_INVALID_GLOBAL_WORK_SIZE: return StatusClass::too_large;
    case CL_INVALID_KERNEL_ARGS:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_GLOBAL_OFFSET:
    case CL_INVALID_IMAGE_DESCRIPTOR:
    case CL_IMAGE_FORMAT_NOT_SUPPORTED:
    case CL_INVALID_PROGRAM_EXECUTABLE: return StatusClass::launch_refused;
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINKER_NOT_AVAILABLE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_INVALID_BINARY:
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_KERNEL_NAME:
    case CL_INVALID_KERNEL_DEFINITION: return StatusClass::build_failed;
    default: return StatusClass::device_lost;
  }
}

bool means_lost_if_repeated(int code) {
  return code == CL_OUT_OF_RESOURCES;
}

bool says_memory_is_short(int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE;
}

bool says_device_is_held(int code) {
  return code == CL_INVALID_DEVICE || code == CL_DEVICE_NOT_AVAILABLE;
}

bool may_build_later(int code) {
  const StatusClass what = status_class(code);
  return what == StatusClass::passing_shortage || what == StatusClass::device_lost;
}

}  // namespace duoblas::cl

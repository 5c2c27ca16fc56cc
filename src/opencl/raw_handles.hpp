// The driver's names of objects, for the calls that enqueue commands.
#pragma once

#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"

namespace duoblas::cl {

inline cl_command_queue queue_of(const Queue& queue) {
  return static_cast<cl_command_queue>(queue.raw());
}
inline cl_mem mem_of(const Buffer& buffer) {
  return static_cast<cl_mem>(buffer.raw());
}

}  // namespace duoblas::cl

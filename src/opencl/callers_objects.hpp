// Queues and buffers that a program made itself.
#pragma once

#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// A queue with its context and device.
struct QueueInContext {
  Context context;
  Queue queue;
};

/// Takes references of our own. `queue` is a cl_command_queue. \throws DeviceError if it is not, or
/// executes out of order, or belongs to a device that no platform lists (a sub-device).
QueueInContext adopt_queue(void* queue);

/// A buffer with a reference of our own, and its properties.
struct AdoptedBuffer {
  Buffer buffer;
  std::size_t bytes = 0;
  bool in_context = false;  ///< it belongs to the given context
  bool aligned = false;     ///< starts at a multiple of 16 bytes, as far as OpenCL tells
};

/// \throws DeviceError if `buffer` is no cl_mem.
AdoptedBuffer adopt_buffer(void* buffer, const Context& context);

/// Later commands of the queue start after this cl_event.
void start_after(Queue& queue, void* event);

}  // namespace duoblas::cl

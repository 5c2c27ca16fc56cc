// Queues and buffers that a program made by itself.
#pragma once

#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// A queue with its context and device.
struct QueueInContext {
  Context context;
  Queue queue;
};

/// With references of ours. `queue` is a cl_command_queue. \throws DeviceError where it is none,
/// executes out of order, or is of a device that no platform lists (a sub-device).
QueueInContext adopt_queue(void* queue);

/// A buffer with a reference of ours, and what it is.
struct AdoptedBuffer {
  Buffer buffer;
  std::size_t bytes = 0;
  bool in_context = false;  ///< the one that was asked for
  bool aligned = false;     ///< starts at a multiple of 16 bytes, as far as one can tell
};

/// `buffer` is a cl_mem. \throws DeviceError where it is none.
AdoptedBuffer adopt_buffer(void* buffer, const Context& context);

/// From now on the queue's commands start after this cl_event.
void start_after(Queue& queue, void* event);

}  // namespace duoblas::cl

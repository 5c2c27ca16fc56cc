// Queues and buffers that a program made itself, and parts of its buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

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

/// Holds a reference to the buffer. Default-constructed: none.
class CallerBuffer {
 public:
  CallerBuffer() = default;
  /// `bytes` of a cl_mem, from `offset` on. \throws DeviceError if `buffer` is no cl_mem.
  CallerBuffer(void* buffer, std::size_t offset, std::size_t bytes, const Context& context);

  /// Why kernels of the context cannot use it, and which argument is at fault; empty: they can.
  enum class Argument { buffer, offset, bytes };
  struct Fault {
    Argument argument = Argument::buffer;
    std::string reason;
  };
  const Fault& fault() const { return fault_; }

  /// The buffer that is no part of another one, and the place of `first` in it.
  const std::shared_ptr<const Buffer>& whole() const { return whole_; }
  std::size_t place(std::size_t first) const { return first_ + first; }
  std::size_t bytes() const { return bytes_; }
  /// Each part must begin at a multiple of so many bytes.
  std::size_t alignment() const { return alignment_; }
  /// `bytes` from `first` on, as a buffer of its own. \pre no fault; `first` is aligned.
  Buffer part(std::size_t first, std::size_t bytes) const;
  /// Whether [offset, offset + bytes) of that buffer overlaps this memory.
  bool overlaps(void* buffer, std::size_t offset, std::size_t bytes) const;

 private:
  std::shared_ptr<const Buffer> whole_;
  std::size_t first_ = 0, bytes_ = 0, alignment_ = 1;
  Fault fault_;
};

}  // namespace duoblas::cl

// Copies of rows between the host's memory and a buffer, as one command.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"

namespace duoblas::cl {

/// The driver's names of objects, for the calls that enqueue commands.
inline cl_command_queue queue_of(const Queue& queue) {
  return static_cast<cl_command_queue>(queue.raw());
}
inline cl_mem mem_of(const Buffer& buffer) {
  return static_cast<cl_mem>(buffer.raw());
}

/// Enqueues a copy of at least one byte, to `to`. It does not wait, since a driver may hang.
/// Nothing: the driver says CL_INVALID_VALUE, or the host's rows are 2 GiB apart or more, which
/// drivers may get wrong. \throws DeviceError.
std::optional<Event> written_rows(const Queue& queue, const Buffer& to, const void* from,
                                  const RectCopy& copy);
/// The same from `from`.
std::optional<Event> read_rows(const Queue& queue, const Buffer& from, void* to,
                               const RectCopy& copy);

/// Memory of our own for the rows of a copy that the driver refuses. NVIDIA's (580) refuses rows
/// that begin under a buffer with CL_MEM_USE_HOST_PTR and end behind it: where a program has
/// registered the first part of a matrix. (Measured: not one run of bytes, and not rows that begin
/// before such a buffer.) It refuses rows of a buffer whose last one is not there as a whole, too;
/// buffers have room for that (gpu/lapack/lapack_memory).
class OwnRows {
 public:
  explicit OwnRows(const RectCopy& copy);
  /// The copy between the buffer and data().
  const RectCopy& copy() const { return dense_; }
  char* data() { return rows_.get(); }
  void take(const void* from);
  void give(void* to) const;
  /// The device may use the memory for as long as the process lives.
  void leave() { (void)rows_.release(); }

 private:
  std::size_t host_pitch_;
  RectCopy dense_;
  std::unique_ptr<char[]> rows_;
};

}  // namespace duoblas::cl

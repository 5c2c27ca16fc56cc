// A buffer's memory, mapped for the host while this object lives.
#pragma once

#include <cstddef>
#include <exception>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// Not movable. The queue and the buffer outlive it.
class Mapping {
 public:
  /// Blocks until the memory can be used. \throws DeviceError.
  Mapping(Queue& queue, const Buffer& buffer, Access access, std::size_t bytes)
      : queue_(queue), buffer_(buffer), data_(queue.map(buffer, access, bytes)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  /// Enqueues the unmapping, twice if it fails: PoCL never frees a buffer that is released while it
  /// is mapped.
  ~Mapping() {
    for (int attempt = 0; attempt < 2 && !driver_hangs(); ++attempt) {
      try {
        queue_.unmap(buffer_, data_);
        return;
      } catch (const std::exception&) {
        continue;
      }
    }
  }

  void* data() const { return data_; }

 private:
  Queue& queue_;
  const Buffer& buffer_;
  void* data_;
};

}  // namespace duoblas::cl

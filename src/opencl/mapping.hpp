// A buffer's memory, mapped for the host while this object lives.
#pragma once

#include <cstddef>

#include "opencl/handles.hpp"

namespace duoblas::cl {

/// Not movable. The queue and the buffer outlive it.
class Mapping {
 public:
  /// Blocks until the memory can be used. \throws DeviceError.
  Mapping(Queue& queue, const Buffer& buffer, Access access, std::size_t bytes);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();  ///< enqueues the unmapping

  void* data() const { return data_; }

 private:
  Queue& queue_;
  const Buffer& buffer_;
  void* data_;
};

}  // namespace duoblas::cl

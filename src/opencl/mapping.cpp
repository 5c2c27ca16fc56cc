#include "opencl/mapping.hpp"

#include <exception>

namespace duoblas::cl {

Mapping::Mapping(Queue& queue, const Buffer& buffer, Access access, std::size_t bytes)
    : queue_(queue), buffer_(buffer), data_(queue.map(buffer, access, bytes)) {}

Mapping::~Mapping() {
  if (driver_hangs()) return;
  // Tried twice: PoCL never frees a buffer that is released while it is mapped.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      queue_.unmap(buffer_, data_);
      return;
    } catch (const std::exception&) {
      continue;
    }
  }
}

}  // namespace duoblas::cl

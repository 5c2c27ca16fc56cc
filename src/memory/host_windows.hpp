// Windows of host memory that the device uses in place. No two live windows overlap: OpenCL leaves
// undefined what two buffers over the same memory do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/handles.hpp"

namespace duoblas {

/// The bytes [begin, end) of the host, as one buffer.
struct HostWindow {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool read_only = true;
  cl::Buffer buffer;
};

/// The live windows of one device. Thread-safe. A window lives as long as someone holds it; none is
/// kept for later, because the memory is the caller's and may be freed.
class HostWindows {
 public:
  /// A window that holds [begin, end): a live one where all is read-only, else a new one. Null
  /// where that would overlap a live window; the operand must be copied then. \throws DeviceError.
  std::shared_ptr<const HostWindow> acquire(const cl::Context& context, std::uintptr_t begin,
                                            std::uintptr_t end, bool read_only);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<const HostWindow>> live_;
};

}  // namespace duoblas

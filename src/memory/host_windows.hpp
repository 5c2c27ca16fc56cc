// Windows of host memory that the device uses in place. No two live windows overlap, because OpenCL
// leaves undefined what two buffers over the same memory do.
#pragma once

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
  cl::Buffer buffer;

  bool holds(std::uintptr_t from, std::uintptr_t to) const { return begin <= from && to <= end; }
};

/// The live windows of one device. Thread-safe. A window lives as long as someone holds it. None is
/// kept for later, because the memory is the caller's and may be freed. None is shared by two
/// calls: a driver may have copied its contents when the window was made, and since then there may
/// be new values between the rows that the first call reads.
class HostWindows {
 public:
  /// A new window of [begin, end). Null if it would overlap a live window, or if the driver refuses
  /// this memory; the operand must be copied then.
  std::shared_ptr<const HostWindow> acquire(const cl::Context& context, std::uintptr_t begin,
                                            std::uintptr_t end, bool read_only);

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<const HostWindow>> live_;
};

}  // namespace duoblas

// Page-locked (pinned) host memory through which operands and results cross the bus at full speed.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "opencl/handles.hpp"
#include "opencl/mapping.hpp"

namespace duoblas {

/// A mapped buffer of the driver's own host memory, which devices reach at full speed.
class PinnedMemory {
 public:
  PinnedMemory(const cl::Context& context, cl::Queue& queue, std::size_t bytes);
  void* data() const { return mapping_.data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  cl::Buffer buffer_;
  cl::Mapping mapping_;
  std::size_t bytes_;
};

/// Keeps the largest block that was given back, because page-locking costs more than the copy
/// through it. Thread-safe.
class PinnedMemoryPool {
 public:
  /// \throws DeviceError.
  std::unique_ptr<PinnedMemory> take(const cl::Context& context, cl::Queue& queue,
                                     std::size_t bytes);
  void give_back(std::unique_ptr<PinnedMemory> memory) noexcept;

 private:
  std::mutex mutex_;
  std::unique_ptr<PinnedMemory> spare_;
};

}  // namespace duoblas

// Page-locked host memory in which results land on their way from the device to the caller.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "opencl/handles.hpp"
#include "opencl/mapping.hpp"

namespace duoblas {

/// A mapped buffer of the driver's own host memory, which devices reach at full speed.
class LandingMemory {
 public:
  LandingMemory(const cl::Context& context, cl::Queue& queue, std::size_t bytes);
  void* data() const { return mapping_.data(); }
  std::size_t bytes() const { return bytes_; }

 private:
  cl::Buffer buffer_;
  cl::Mapping mapping_;
  std::size_t bytes_;
};

/// Keeps the largest block that was given back: page-locking costs more than the copy through it.
/// Thread-safe.
class LandingPool {
 public:
  /// \throws DeviceError.
  std::unique_ptr<LandingMemory> take(const cl::Context& context, cl::Queue& queue,
                                      std::size_t bytes);
  void give_back(std::unique_ptr<LandingMemory> memory) noexcept;

 private:
  std::mutex mutex_;
  std::unique_ptr<LandingMemory> spare_;
};

}  // namespace duoblas

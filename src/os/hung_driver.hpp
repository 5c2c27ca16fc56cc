// A driver of this process that does not come back.
#pragma once

#include <atomic>

namespace duoblas {

namespace hung_driver {
inline constinit std::atomic<bool> seen{false};
}

/// Whether some device of this process was given up. From then on no OpenCL object is released: a
/// driver that hangs may block there, and memory that the device may still touch must stay.
inline bool driver_hangs() noexcept {
  return hung_driver::seen.load(std::memory_order_acquire);
}

/// A device is given up, for the rest of this process.
inline void note_hung_driver() noexcept {
  hung_driver::seen.store(true, std::memory_order_release);
}

}  // namespace duoblas

// How long to wait for a device, and what happens to a process whose driver hangs.
#pragma once

#include <atomic>

#include <duoblas/error.hpp>

#include "os/hung_driver.hpp"

namespace duoblas::cl {

/// The device did not end its work within the deadline.
class DeviceHung : public DeviceError {
 public:
  using DeviceError::DeviceError;
  /// The device writes C's memory itself, so if it ever goes on, it may overwrite what the host
  /// writes there.
  bool may_write_c = false;
};

using duoblas::driver_hangs;

/// The deleter of a std::unique_ptr to memory that a device may read or write. If a device hangs,
/// it deletes nothing.
struct DeletedUnlessHung {
  template <typename T>
  void operator()(T* memory) const noexcept {
    if (!driver_hangs()) delete memory;
  }
};

/// For one context and its queues. Thread-safe.
class WaitDeadline {
 public:
  /// The deadline is this many seconds plus 20 times the estimate of the work; 0: no deadline.
  void set_base(double seconds) { base_.store(seconds, std::memory_order_relaxed); }
  /// The estimate for the work that is sent next and waited for.
  void expect(double seconds) { estimate_.store(seconds, std::memory_order_relaxed); }
  /// The deadline of one wait; 0: for ever.
  double seconds() const {
    constexpr double times = 20;
    const double base = base_.load(std::memory_order_relaxed);
    return base > 0 ? base + times * estimate_.load(std::memory_order_relaxed) : 0;
  }
  bool is_over() const { return over_.load(std::memory_order_relaxed); }
  /// Gives up the device. \throws DeviceHung.
  [[noreturn]] void give_up(double waited);

 private:
  std::atomic<double> base_{0}, estimate_{0};
  std::atomic<bool> over_{false};
};

}  // namespace duoblas::cl

// How long a device is waited for, and what becomes of a process whose driver hangs.
#pragma once

#include <atomic>

#include <duoblas/error.hpp>

namespace duoblas::cl {

/// The device did not end its work within the deadline.
class DeviceHung : public DeviceError {
 public:
  using DeviceError::DeviceError;
  /// C is memory that the device writes by itself: whatever the host writes there may be
  /// overwritten, when and if the device goes on.
  bool may_write_c = false;
};

/// Whether some device of this process was given up on. From then on no OpenCL object is released:
/// a driver that hangs may wait for its work there, and what the device may still touch must stay.
bool driver_hangs() noexcept;

/// Of a std::unique_ptr: deletes what a device may read or write, unless one hangs, which may go
/// on.
struct DeletedUnlessHung {
  template <typename T>
  void operator()(T* memory) const noexcept {
    if (!driver_hangs()) delete memory;
  }
};

/// Of one context and its queues. Thread-safe.
class WaitDeadline {
 public:
  /// Seconds beside 20 times the estimate of the work; 0: it is waited for, however long.
  void set_base(double seconds) { base_.store(seconds, std::memory_order_relaxed); }
  /// The work that is sent next, and waited for.
  void expect(double seconds) { estimate_.store(seconds, std::memory_order_relaxed); }
  /// Of one wait; 0: for ever.
  double seconds() const {
    constexpr double times = 20;
    const double base = base_.load(std::memory_order_relaxed);
    return base > 0 ? base + times * estimate_.load(std::memory_order_relaxed) : 0;
  }
  bool is_over() const { return over_.load(std::memory_order_relaxed); }
  /// Nothing is waited for any more. \throws DeviceHung.
  [[noreturn]] void give_up(double waited);

 private:
  std::atomic<double> base_{0}, estimate_{0};
  std::atomic<bool> over_{false};
};

}  // namespace duoblas::cl

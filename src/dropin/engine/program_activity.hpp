// Whether a program makes calls.
#pragma once

#include <atomic>

namespace duoblas {

/// Thread-safe. Calls that are shorter than the shim's limits are not noted. Of calls that the
/// program's BLAS does, the end is noted only if they are timed: long ones may look like rest.
class ProgramActivity {
 public:
  /// A call that is computed here.
  class Call {
   public:
    explicit Call(ProgramActivity& activity) noexcept : activity_(activity) {
      activity_.running_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Call() {
      activity_.note();
      activity_.running_.fetch_sub(1, std::memory_order_relaxed);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    ProgramActivity& activity_;
  };

  /// A call began, or ended. Threads that call at once do not take turns at a line of the cache.
  void note() noexcept {
    if (!called_.load(std::memory_order_relaxed)) called_.store(true, std::memory_order_relaxed);
  }
  /// True: nothing was noted since the last question, and no `Call` lives.
  bool rests() noexcept {
    const bool called = called_.exchange(false, std::memory_order_relaxed);
    return !called && running_.load(std::memory_order_relaxed) == 0;
  }

 private:
  std::atomic<bool> called_{false};
  std::atomic<int> running_{0};
};

/// Of this process.
inline constinit ProgramActivity program_activity;

}  // namespace duoblas

// One GPU, one job at a time: who may use it now, and who had better not wait.
//
// A call asks with its plan before it submits anything, and holds the pass until its join. A
// factorisation holds one pass for all of its products.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "planner/plan.hpp"

namespace duoblas {

class GpuGate {
 public:
  using Clock = std::chrono::steady_clock;
  /// The GPU is this thread's while the pass lives.
  using Pass = std::unique_lock<std::mutex>;

  /// A caller who was sent to the CPU holds one until the CPU has done the call.
  class OnCpu {
   public:
    OnCpu() = default;
    OnCpu(OnCpu&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), expected_(other.expected_) {}
    OnCpu& operator=(OnCpu&&) = delete;
    ~OnCpu();

   private:
    friend GpuGate;
    GpuGate* gate_ = nullptr;
    Clock::duration expected_{};
  };

  /// The GPU for a call with this plan: at once if it is free. Otherwise waits if `insist`, or if
  /// by the estimates waiting for the running job, and for those who wait already, plus this plan's
  /// own time is less than the CPU's time for this call and for those that were sent there and are
  /// still at it: they share the cores. Nothing: the CPU should do the call, while `on_cpu` lives.
  std::optional<Pass> enter(const Plan& plan, bool insist, OnCpu& on_cpu);

 private:
  std::mutex in_use_;
  std::mutex estimate_;
  Clock::time_point expected_free_{};
  Clock::duration expected_of_waiting_{}, expected_on_cpu_{};
};

}  // namespace duoblas

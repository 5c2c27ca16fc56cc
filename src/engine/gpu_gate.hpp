// One GPU, one job at a time: who may use it now, and who had better not wait.
//
// A call asks with its plan before it submits anything, and holds the pass until its join. A call
// of several steps holds one pass for all of them, but gives it back while the CPU BLAS's own
// routine does one.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "planner/plan.hpp"
#include "planner/reason.hpp"

namespace duoblas {

class GpuSide;

class GpuGate {
 public:
  /// The GPU is this thread's while the pass lives.
  using Pass = std::unique_lock<std::mutex>;

  /// A caller who was sent to the CPU holds one until the CPU has done the call.
  class OnCpu {
   public:
    OnCpu() = default;
    OnCpu(OnCpu&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), expected_(other.expected_) {}
    OnCpu& operator=(OnCpu&& other) noexcept {
      std::swap(gate_, other.gate_);
      std::swap(expected_, other.expected_);
      return *this;
    }
    ~OnCpu();

   private:
    friend GpuGate;
    GpuGate* gate_ = nullptr;
    double expected_ = 0;  ///< seconds
  };

  /// The GPU for a call with this plan: at once if it is free. Otherwise waits if `insist`, or if
  /// by the estimates waiting for the running job, and for those who wait already, plus this plan's
  /// own time is less than the CPU's time for this call and for those that were sent there and are
  /// still at it: they share the cores. Nothing: the CPU should do the call, while `on_cpu` lives.
  std::optional<Pass> enter(const Plan& plan, bool insist, OnCpu& on_cpu);

 private:
  std::mutex in_use_;
  std::mutex estimate_;
  double expected_free_ = 0;  ///< when, in steady_seconds()
  double expected_of_waiting_ = 0, expected_on_cpu_ = 0;
};

/// What a call has of the device. The steps of a call share one.
struct Admission {
  GpuSide* gpu = nullptr;  ///< null: there is none now
  std::optional<GpuGate::Pass> pass;
  bool rests = false;          ///< it was short of memory
  GpuGate::OnCpu on_cpu;       ///< of a call that the gate sent there
  bool may_ask = true;         ///< without a pass: a part that uses the device asks for one
  std::optional<Reason> left;  ///< why the rest of the call leaves the device alone

  void give_back() { pass.reset(); }
  void leave(Reason why) {
    give_back();
    left = why;
  }
  /// A step has ended: the next one may ask.
  void ask_again() {
    may_ask = true;
    on_cpu = {};
  }
  /// Why there is no pass, for a call that uses the GPU.
  Reason why_not() const {
    return left             ? *left
           : gpu == nullptr ? Reason::no_gpu_now
           : rests          ? Reason::gpu_short_of_memory
                            : Reason::gpu_busy;
  }
};

}  // namespace duoblas

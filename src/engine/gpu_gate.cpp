#include "engine/gpu_gate.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// An estimate from a profile may be anything; a day is more than any product takes.
GpuGate::Clock::duration ticks(double seconds) {
  constexpr double most_seconds = 86400;
  return std::chrono::duration_cast<GpuGate::Clock::duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, most_seconds)));
}

}  // namespace

GpuGate::OnCpu::~OnCpu() {
  if (gate_ == nullptr) return;
  const std::lock_guard guard(gate_->estimate_);
  gate_->expected_on_cpu_ -= expected_;
}

std::optional<GpuGate::Pass> GpuGate::enter(const Plan& plan, bool insist, OnCpu& on_cpu) {
  const Clock::duration own = ticks(plan.expected_seconds);
  Pass pass(in_use_, std::try_to_lock);
  const bool waits = !pass.owns_lock();
  if (waits) {
    {
      const std::lock_guard guard(estimate_);
      if (!insist && plan.cpu_only_seconds > 0) {
        const Clock::duration of_running = expected_free_ - Clock::now();
        const Clock::duration of_cpu = ticks(plan.cpu_only_seconds);
        // A job that has taken longer than its estimate may end at any time.
        const bool overdue = of_running < Clock::duration::zero();
        if (overdue || of_running + expected_of_waiting_ + own > expected_on_cpu_ + of_cpu) {
          on_cpu.gate_ = this;
          on_cpu.expected_ = of_cpu;
          expected_on_cpu_ += of_cpu;
          return {};
        }
      }
      expected_of_waiting_ += own;
    }
    pass.lock();
  }
  const std::lock_guard guard(estimate_);
  if (waits) expected_of_waiting_ -= own;
  expected_free_ = Clock::now() + own;
  return pass;
}

}  // namespace duoblas

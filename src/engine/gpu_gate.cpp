#include "engine/gpu_gate.hpp"

#include <algorithm>
#include <cmath>

#include "timing/steady_seconds.hpp"

namespace duoblas {
namespace {

// An estimate from a profile may be anything. A day is more than any product takes; sums of larger
// numbers would lose the others.
double sane(double seconds) {
  constexpr double most_seconds = 24 * 3600;
  return std::isnan(seconds) ? 0 : std::clamp(seconds, 0.0, most_seconds);
}

}  // namespace

GpuGate::OnCpu::~OnCpu() {
  if (gate_ == nullptr) return;
  const std::lock_guard guard(gate_->estimate_);
  gate_->expected_on_cpu_ -= expected_;
}

std::optional<GpuGate::Pass> GpuGate::enter(const Plan& plan, bool insist, OnCpu& on_cpu) {
  const double own = sane(plan.expected_seconds);
  Pass pass(in_use_, std::try_to_lock);
  const bool waits = !pass.owns_lock();
  if (waits) {
    {
      const std::lock_guard guard(estimate_);
      if (!insist && plan.cpu_only_seconds > 0) {
        const double of_running = expected_free_ - steady_seconds();
        const double of_cpu = sane(plan.cpu_only_seconds);
        // A job that has taken longer than its estimate may end at any time.
        const bool overdue = of_running < 0;
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
  expected_free_ = steady_seconds() + own;
  return pass;
}

}  // namespace duoblas

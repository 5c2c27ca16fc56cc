#include "engine/gpu_gate.hpp"

#include <algorithm>

namespace duoblas {

std::optional<GpuGate::Pass> GpuGate::enter(const Plan& plan, bool insist) {
  // An estimate from a profile may be anything; a day is more than any product takes.
  constexpr double most_seconds = 86400;
  const std::chrono::duration<double> own(std::clamp(plan.expected_seconds, 0.0, most_seconds));
  const auto own_ticks = std::chrono::duration_cast<Clock::duration>(own);
  Pass pass(in_use_, std::try_to_lock);
  const bool waits = !pass.owns_lock();
  if (waits) {
    {
      const std::lock_guard guard(estimate_);
      if (!insist && plan.cpu_only_seconds > 0) {
        const Clock::duration of_running = expected_free_ - Clock::now();
        const std::chrono::duration<double> wait = of_running + expected_of_waiting_;
        // A job that has taken longer than its estimate may end at any time.
        const bool overdue = of_running < Clock::duration::zero();
        if (overdue || wait.count() + own.count() > plan.cpu_only_seconds) return {};
      }
      expected_of_waiting_ += own_ticks;
    }
    pass.lock();
  }
  const std::lock_guard guard(estimate_);
  if (waits) expected_of_waiting_ -= own_ticks;
  expected_free_ = Clock::now() + own_ticks;
  return pass;
}

}  // namespace duoblas

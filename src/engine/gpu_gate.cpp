#include "engine/gpu_gate.hpp"

#include <algorithm>

namespace duoblas {

std::optional<GpuGate::Pass> GpuGate::enter(const Plan& plan, bool insist) {
  Pass pass(in_use_, std::try_to_lock);
  if (!pass.owns_lock()) {
    if (!insist && plan.cpu_only_seconds > 0) {
      const std::lock_guard guard(estimate_);
      const std::chrono::duration<double> wait = expected_free_ - Clock::now();
      // A job that has taken longer than its estimate (wait < 0) may end at any time.
      const bool overdue = wait.count() < 0;
      if (overdue || wait.count() + plan.expected_seconds > plan.cpu_only_seconds) return {};
    }
    pass.lock();
  }
  // An estimate from a profile may be anything; a day is more than any product takes.
  constexpr double most_seconds = 86400;
  const std::chrono::duration<double> own(std::clamp(plan.expected_seconds, 0.0, most_seconds));
  const std::lock_guard guard(estimate_);
  expected_free_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(own);
  return pass;
}

}  // namespace duoblas

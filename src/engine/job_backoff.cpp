#include "engine/job_backoff.hpp"

#include <cmath>
#include <new>

namespace duoblas {

JobBackoff::Kind JobBackoff::kind_of(const LapackProblem& job) {
  return {job.routine, job.precision, std::ilogb(flops(job))};
}

bool JobBackoff::rests(const LapackProblem& job) noexcept {
  const std::lock_guard guard(mutex_);
  const auto found = failing_.find(kind_of(job));
  return found != failing_.end() && found->second.rests();
}

void JobBackoff::failed(const LapackProblem& job, int longest_rest) noexcept try {
  const std::lock_guard guard(mutex_);
  failing_[kind_of(job)].failed(longest_rest);
} catch (const std::bad_alloc&) {
  // It is tried again.
}

void JobBackoff::succeeded(const LapackProblem& job) noexcept {
  const std::lock_guard guard(mutex_);
  failing_.erase(kind_of(job));
}

}  // namespace duoblas

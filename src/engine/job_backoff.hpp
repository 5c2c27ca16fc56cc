// How LAPACK's jobs of the device go on if those of their kind fail. Each kind by itself: smaller
// jobs and products may work meanwhile, and say nothing about it.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "engine/shortage_backoff.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Thread-safe. Jobs are alike if they have the same routine and type, and flops within a factor of
/// two. Whatever they failed for counts, since of a shortage on the host the device knows nothing;
/// but not unsuited numbers (UnsuitedNumbers), which say nothing about the next job.
class JobBackoff {
 public:
  /// Whether this job must leave the device alone. Counts it.
  bool rests(const LapackProblem& job) noexcept;
  void failed(const LapackProblem& job) noexcept;
  void succeeded(const LapackProblem& job) noexcept;

 private:
  using Kind = std::tuple<LapackRoutine, Precision, int>;
  static Kind kind_of(const LapackProblem& job);

  std::mutex mutex_;
  std::map<Kind, ShortageBackoff> failing_;  ///< the last job of each kind has failed
};

}  // namespace duoblas

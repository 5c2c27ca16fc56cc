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
/// two. Whatever they failed for counts, since of a shortage on the host the device knows nothing.
/// After unsuited numbers (UnsuitedNumbers), which say little about the next job, rests are short.
class JobBackoff {
 public:
  /// Whether this job must leave the device alone. Counts it.
  bool rests(const LapackProblem& job) noexcept;
  void failed(const LapackProblem& job) noexcept { failed(job, ShortageBackoff::longest_rest); }
  /// Numbers in the matrix were unsuited. A program whose matrices are all so would send each of
  /// them to the device in vain; eight in nine of its jobs are spared that.
  void declined(const LapackProblem& job) noexcept { failed(job, longest_rest_for_numbers); }
  void succeeded(const LapackProblem& job) noexcept;

  static constexpr int longest_rest_for_numbers = 8;

 private:
  using Kind = std::tuple<LapackRoutine, Precision, int>;
  static Kind kind_of(const LapackProblem& job);
  void failed(const LapackProblem& job, int longest_rest) noexcept;

  std::mutex mutex_;
  std::map<Kind, ShortageBackoff> failing_;  ///< the last job of each kind has failed
};

}  // namespace duoblas

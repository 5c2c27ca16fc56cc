// What the device can hold and do for calls of several parts. A part of an engine: engine.jobs().
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/job_kind.hpp"
#include "engine/shortage_backoff.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "planner/decision.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

struct EngineState;

/// How LAPACK's jobs of the device, and products by integers, go on if those of their kind fail.
/// Each kind by itself: smaller jobs and other products may work meanwhile, and say nothing about
/// it.
///
/// Thread-safe. Whatever jobs failed for counts, since of a shortage on the host the device knows
/// nothing. After a factorisation's unsuited numbers (UnsuitedNumbers), which say little about the
/// next matrix, rests are short; products that were not certified are of a program's usual numbers.
class JobBackoff {
 public:
  /// Whether this job must leave the device alone. Counts it.
  bool rests(const JobKind& job) noexcept;
  void failed(const JobKind& job) noexcept { failed(job, ShortageBackoff::longest_rest); }
  /// Numbers in the matrix were unsuited. A program whose matrices are all so would send each of
  /// them to the device in vain; eight in nine of its jobs are spared that.
  void declined(const JobKind& job) noexcept { failed(job, longest_rest_for_numbers); }
  void succeeded(const JobKind& job) noexcept;

  static constexpr int longest_rest_for_numbers = 8;

 private:
  void failed(const JobKind& job, int longest_rest) noexcept;

  std::mutex mutex_;
  std::map<JobKind, ShortageBackoff> failing_;  ///< the last job of each kind has failed
};

/// Thread-safe.
class DeviceJobs {
 public:
  explicit DeviceJobs(EngineState& engine) : engine_(engine) {}

  /// Whether the device has memory for all of such a call. Opens no device.
  bool takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const;
  bool takes_at_once(const DeviceFactorisation& call) const;
  /// Whether the device would factorise the panels of such a getrf too, as far as is known. Opens
  /// no device.
  bool makes_panels(const DeviceFactorisation& call) const;

  /// A copy of the matrix on the device, for products that work on copies there. Null if products
  /// do not, as far as is known now, or if the device lacks the memory.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix, Precision precision);

  /// The result of a job was wrong: from now on none is trusted, for any routine. Single products
  /// still are, because their own results are checked.
  void distrust() noexcept { wrong_job_.store(true, std::memory_order_relaxed); }
  bool are_trusted() const noexcept { return !wrong_job_.load(std::memory_order_relaxed); }
  JobBackoff& backoff() { return backoff_; }

 private:
  EngineState& engine_;
  std::atomic<bool> wrong_job_{false};
  JobBackoff backoff_;
};

}  // namespace duoblas

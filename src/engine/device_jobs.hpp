// What the device can hold and do for calls of several parts. A part of an engine: engine.jobs().
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "engine/job_backoff.hpp"
#include "gpu/device/resident_matrix.hpp"
#include "planner/decision.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

struct EngineState;

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

// Whether what a call launches on the device (launches.hpp) is there, and what it takes to build
// it. A part of an engine: engine.readiness().
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "engine/background_work.hpp"
#include "engine/build_policy.hpp"
#include "engine/launches.hpp"
#include "planner/reason.hpp"

namespace duoblas {

struct EngineState;

/// What a call waits for that was decided by speed: a caller of the library for what is kept on
/// disk, a preloaded program for nothing.
enum class Patience { for_disk, none };

/// Thread-safe. Nothing here opens a device.
class Readiness {
 public:
  explicit Readiness(EngineState& engine) : engine_(engine) {}

  /// Whether the call would wait for nothing; true without a device.
  bool has(const Launches& launches) const;
  /// Why the CPU does a call that was decided by speed: what it launches is not there, or its first
  /// results are not checked, and calls have not missed that for long enough (BuildPolicy); or it
  /// is being built, if need be from now on. Nothing: the device does it, or the call itself
  /// reports a device that fails. `missed`: the seconds that the call was expected to gain, which
  /// are spent then. \pre the device is open. \throws std::bad_alloc.
  std::optional<Reason> why_not(const Launches& launches, Patience patience,
                                const std::function<double()>& missed);
  /// Of a call that has the device: whether it goes to the CPU all the same, while what it launches
  /// is built in the background. A call that asked for nothing waits for no compiler and no trial.
  bool waits(GpuSide& gpu, const Launches& launches) noexcept;

  /// Builds what is missing or loads it from the cache, and tries what is not known to be right, on
  /// this thread, beside running calls. A fork waits for it.
  void build_here(const Launches& launches) noexcept;
  /// The same; calls that use the device meanwhile do not wait for a compiler.
  void build_apart(const Launches& launches) noexcept;
  /// The same in the background. \throws std::bad_alloc.
  void build(GpuSide& gpu, const Launches& launches);
  WorkPriority priority_of_building() const;
  /// If plans of this type copy operands, makes queues, threads and page-locked memory, because the
  /// first such product would wait for them. Nobody else may use the device meanwhile. A fork waits
  /// for it.
  void build_transfers(Precision precision) noexcept;

 private:
  bool may_wait() const;
  void note_build(bool worked) noexcept;

  EngineState& engine_;
  BuildPolicy builds_, first_checks_;
  std::atomic<int> vain_builds_{0};  ///< in a row: kernels were neither built nor refused
};

}  // namespace duoblas

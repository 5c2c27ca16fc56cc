// Whether what a call launches on the device (launches.hpp) is there, and what it takes to build
// it. A part of an engine: engine.readiness().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "engine/background_work.hpp"
#include "engine/launches.hpp"
#include "engine/outlays.hpp"
#include "planner/reason.hpp"

namespace duoblas {

struct EngineState;

/// What a call without the device misses: seconds, and account_class() of such calls.
struct Missed {
  Missed(double in_seconds, std::uint32_t in_class = other_calls)  // NOLINT: seconds, mostly
      : seconds(in_seconds), of_class(in_class) {}
  double seconds;
  std::uint32_t of_class;
};

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
  /// results are not checked, and that does not pay yet (engine/outlays.hpp); or it is being built,
  /// if need be from now on. Nothing: the device does it, or the call itself reports a device that
  /// fails. \pre the device is open. \throws std::bad_alloc.
  std::optional<Reason> why_not(const Launches& launches, Patience patience,
                                const std::function<Missed()>& missed);
  /// Of a call that has the device: whether it goes to the CPU all the same, while what it launches
  /// is built in the background. A call that asked for nothing waits for no compiler and no trial.
  bool waits(GpuSide& gpu, const Launches& launches) noexcept;

  /// Builds what is missing or loads it from the cache, and tries what is not known to be right, on
  /// this thread, beside running calls. A fork waits for it.
  void build_here(const Launches& launches) noexcept;
  /// For calls that are likely to come: loads at once what an earlier process has built, and builds
  /// the rest in the background, if that pays and exit() would wait for it. \throws std::bad_alloc.
  void expect(const Launches& launches, std::uint32_t of_class);
  WorkPriority priority_of_building() const;
  /// If plans of this type copy operands, makes queues, threads and page-locked memory, because the
  /// first such product would wait for them. Nobody else may use the device meanwhile. A fork waits
  /// for it.
  void build_transfers(Precision precision) noexcept;

 private:
  bool may_wait() const;
  int cores() const;
  /// No seconds: all that is missing was built and tried by an earlier process. \throws
  /// std::bad_alloc.
  OutlayPrice price_of_build(const GpuSide& gpu, const Launches& launches) const;
  std::optional<double> pays(Outlay what, std::uint32_t of_class, std::optional<double> missed,
                             const OutlayPrice& price);
  /// In the background. `paid`: what was spent on it. \throws std::bad_alloc.
  void build(GpuSide& gpu, const Launches& launches, double paid);
  void build_piece(GpuSide& gpu, const DeviceBuild& piece, bool is_new, double paid) noexcept;
  void note_build(bool worked) noexcept;

  EngineState& engine_;
  std::atomic<int> builds_to_come_{0};  ///< in the background, the one under way among them
  std::atomic<int> vain_builds_{0};     ///< in a row: kernels were neither built nor refused
};

}  // namespace duoblas

// What an engine found out about its device and kernels while it works: who may use the device now,
// what failures and wrong results mean for later calls, and what the user is told of them. A part
// of an engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/call.hpp"
#include "engine/gpu_gate.hpp"
#include "engine/outcome.hpp"
#include "engine/reopening.hpp"
#include "engine/shortage_backoff.hpp"
#include "planner/reason.hpp"

namespace duoblas {

struct EngineState;

/// Thread-safe. It ends before what it uses of the engine.
class DeviceHealth {
 public:
  DeviceHealth(EngineState& engine, const RetryPauses& pauses);

  /// Whether no call may use the device. If one engine saw the driver hang, it hangs for the whole
  /// process.
  bool is_unavailable() const;
  Reason why_unavailable() const {
    return is_distrusted() ? Reason::gpu_was_wrong_before : Reason::gpu_failed_before;
  }

  /// The GPU for a call that uses it by its plan, if it is available now. \pre it has no pass.
  void admit(const Plan& plan, Admission& admission);

  /// The device did all that it was asked for.
  void worked();
  /// What a GPU's failure means for later calls, and who is told. \throws DeviceError, if the
  /// device may still write to C.
  void note_failure(Outcome& outcome, const HybridOutcome& did);
  /// The call's result was wrong: its kernels are not used any more. The user must know, since not
  /// all earlier results were checked.
  void note_wrong(GpuSide& gpu, Call& call, const std::string& failure) noexcept;

  /// Kernels that failed their trials: each is said once; later processes say it when they are
  /// asked.
  void say_wrong_kernels(GpuSide& gpu) noexcept;
  /// For a call that was told to use the GPU, and so has waited for kernels' trials.
  void say_trials(GpuSide& gpu) noexcept;
  void say_cache_problem(const GpuSide& gpu) noexcept;

 private:
  bool is_distrusted() const;
  bool is_lost(const HybridOutcome& outcome);
  void give_up_hung(const HybridOutcome& did);
  /// The line about a wrong result. Allocates nothing: the results are there.
  void say_wrong(const GpuSide& gpu, const Suspect& suspect, const std::string& failure) noexcept;

  EngineState& engine_;
  GpuGate gate_;
  ShortageBackoff shortage_;
  std::atomic<int> wrong_kernels_{0};
  std::atomic<int> failed_trials_{0};
  std::atomic<std::uint64_t> trials_said_{0};
  Reopening reopening_;  // ends before what it uses
};

}  // namespace duoblas

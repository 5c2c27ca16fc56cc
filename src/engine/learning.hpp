// What calls showed about who is faster, in this process and in earlier ones. A part of an engine:
// engine.learning().
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "engine/call_learner.hpp"
#include "engine/learned_file.hpp"
#include "engine/outcome.hpp"
#include "planner/decision.hpp"
#include "planner/planner.hpp"
#include "planner/way_chooser.hpp"

namespace duoblas {

struct EngineState;
struct MachineState;

/// Thread-safe. Not for forked children.
class Learning {
 public:
  explicit Learning(EngineState& engine) : engine_(engine) {}

  /// Whether the engine learns from the times of calls; not with a given split.
  bool is_on() const;
  /// Does what takes long of recall() before it is known which BLAS the program has: 15 ms for a
  /// tuned profile. Opens the device. \throws std::bad_alloc.
  void prepare();
  /// Loads what an earlier process learned on this machine, which otherwise the first planned call
  /// does. Opens the device. Does nothing if memory is short for what was learned: the next planned
  /// call tries again.
  void recall();
  /// Stores what calls and checks showed, for later processes, which otherwise happens now and
  /// then. Writes a file.
  void keep() noexcept;
  /// What is known of such calls, of earlier processes too. Opens the device.
  LearnedTimes learned(const CallKind& kind);
  /// \pre circumstances() was called before.
  LearnedTimes learned(const CallKind& kind, const PlanMachine& facts);
  /// Those of a call that this thread begins now. Recalls what was learned, if nobody has.
  Circumstances circumstances();

  CallLearner& learner() { return learner_; }

  /// Who does a call that can go several ways, by what such calls took. Products and memory-bound
  /// calls are the learner's.
  Way choose(const CallClass& call, std::span<const WayEstimate> ways) {
    return ways_.choose(call, ways);
  }
  /// What such a call took. `gains`: if no other note is about it.
  void observe(const CallClass& call, Way way, double seconds, const Gains& gains = {}) noexcept {
    ways_.observe(call, way, seconds);
    if (is_on()) learner_.note_other(gains);
  }
  /// The same estimate with what such calls took, where that is known.
  Estimate as_seen(const CallClass& call, Way with_device, const Estimate& estimate) {
    return {ways_.seen_seconds(call, Way::plain).value_or(estimate.cpu_seconds),
            ways_.seen_seconds(call, with_device).value_or(estimate.device_seconds)};
  }
  /// What else is known of such calls.
  WayChooser& ways() { return ways_; }

  /// The device has done a part of a call.
  void device_has_run() noexcept { gpu_has_run_.store(true, std::memory_order_relaxed); }

  /// One call, from its decision until its times are known: evidence for later calls, if it was
  /// carried out as decided.
  class Call {
   public:
    Call(Learning& learning, const Plan& plan, const Forecast& forecast);
    void ended(const Outcome& outcome) noexcept;

   private:
    Learning& learning_;
    const Forecast forecast_;
    const Strategy decided_;
    const double expected_;
    bool starts_, beside_compiler_;
    CallLearner::Scope scope_;
  };

 private:
  void recall_on(const MachineState& machine_state);
  bool store_now();

  EngineState& engine_;
  WayChooser ways_;
  CallLearner learner_;
  std::atomic<bool> cpu_alone_has_run_{false}, gpu_has_run_{false};
  std::mutex recalling_;  ///< guards what is below
  std::atomic<bool> has_recalled_{false};
  std::unique_ptr<LearnedFile> file_;
  std::string kernel_sources_, name_of_profile_;
};

}  // namespace duoblas

// What calls showed about who is faster, in this process and in earlier ones. A part of an engine:
// engine.learning().
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/call_learner.hpp"
#include "engine/learned_file.hpp"
#include "engine/outcome.hpp"
#include "planner/lapack_selector.hpp"
#include "planner/level3_selector.hpp"
#include "planner/planner.hpp"

namespace duoblas {

struct EngineState;
struct MachineState;

/// Thread-safe. Not for forked children.
class Learning {
 public:
  explicit Learning(EngineState& engine) : engine_(engine) {}

  /// Whether the engine learns from the times of calls; not with a given split.
  bool is_on() const;
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
  /// The times of a program's calls of LAPACK, here and in its own library.
  LapackSelector& lapack_selector() { return lapack_selector_; }
  /// The times of level-3 calls as one job and by halves.
  Level3Selector& level3_selector() { return level3_selector_; }

  /// The device has done a part of a call.
  void device_has_run() noexcept { gpu_has_run_.store(true, std::memory_order_relaxed); }

  /// One call, from its decision until its times are known: evidence for later calls, if it was
  /// carried out as decided.
  class Call {
   public:
    Call(Learning& learning, const Plan& plan, const Forecast& forecast);
    /// `took`: of the part that the forecast is for.
    void ended(const Outcome& outcome, const CallTimes& took) noexcept;

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
  Level3Selector level3_selector_;
  LapackSelector lapack_selector_;
  CallLearner learner_;
  std::atomic<bool> cpu_alone_has_run_{false}, gpu_has_run_{false};
  std::mutex recalling_;  ///< guards what is below
  std::atomic<bool> has_recalled_{false};
  std::unique_ptr<LearnedFile> file_;
  std::string kernel_sources_;
};

/// What a call that was carried out tells the learner.
CallTimes call_times(const Outcome& outcome);

}  // namespace duoblas

// The private state of an Engine. Only the files that contain methods of Engine or of this state
// include it (engine.cpp, engine_*.cpp), each about one kind of call or one concern.
//
// State owns all parts of the engine. The order of its members matters: those that are destroyed
// first may use those that are destroyed later. Members are thread-safe, atomic or set once
// (learned_file: under the mutex `recalling`). Work in the background holds `life` while it uses
// the engine, and does not begin after end_life().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/workers.hpp"
#include "engine/background_work.hpp"
#include "engine/build_policy.hpp"
#include "engine/call_learner.hpp"
#include "engine/engine.hpp"
#include "engine/gpu_gate.hpp"
#include "engine/job_backoff.hpp"
#include "engine/learned_file.hpp"
#include "engine/logger.hpp"
#include "engine/machine.hpp"
#include "engine/reopening.hpp"
#include "engine/result_checks.hpp"
#include "engine/shortage_backoff.hpp"
#include "engine/stream_checks.hpp"
#include "opencl/compile_apart.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/wait_deadline.hpp"
#include "os/fork_state.hpp"

namespace duoblas {

/// From now on a fork waits for engines' work.
void watch_forks_after_memory();

// Six buffers with ten powers of two each. Later growths come from a device so short of memory that
// its calls always wait, so they say nothing about a single call.
inline constexpr unsigned most_growths = 60;

// A split in one word, so that it can be read without a lock. parts is never 0.
using PackedSplit = std::uint64_t;
inline constexpr PackedSplit no_split = 0;

constexpr PackedSplit pack(Share share) {
  return (static_cast<PackedSplit>(share.parts) << 32) | static_cast<unsigned>(share.gpu_parts);
}
constexpr Share unpack(PackedSplit packed) {
  return {static_cast<int>(packed & 0xffffffffu), static_cast<int>(packed >> 32)};
}

struct Engine::State {
  State(Settings given, const RetryPauses& pauses)
      : settings(std::move(given)),
        logger(settings.verbose),
        machine(settings, logger),
        reopening(
            {[this] { return machine.reopen(); }, [this](const char* what) { logger.once(what); }},
            pauses) {
    math = settings.math;
    watch_forks_after_memory();
    born_in = fork_generation();
  }

  PlanRequest request() const {
    if (const PackedSplit packed = split.load(std::memory_order_relaxed); packed != no_split) {
      return {Strategy::hybrid, unpack(packed), math.load(std::memory_order_relaxed)};
    }
    return {settings.strategy, settings.split, math.load(std::memory_order_relaxed)};
  }

  // A CPU device only serves to show that both sides work, so the user must ask for it.
  const MachineState& open() {
    return machine.open(settings.standin || request().insists_on_gpu());
  }

  // Loads what an earlier process learned. \throws std::bad_alloc; it can be called again then.
  void recall_on(const MachineState& machine_state);

  // Whether this engine was made before or after the fork does not matter: everything that OpenCL
  // had in the parent is dead in the child.
  static bool in_child() { return fork_generation() != 0; }

  // The opened device belongs to the parent, and may be half opened; the CPU's part was there from
  // the start.
  Plan child_plan() const { return cpu_plan(machine.cpu_all(), Reason::forked_child); }

  // A leaf of a blocked routine must not open a device that no product asked for.
  const CpuConfig& all_cores(Precision precision) const {
    const MachineState* machine_state = in_child() ? nullptr : machine.found();
    return machine_state == nullptr ? machine.cpu_all()
                                    : machine_state->facts.cpu_all_for(precision);
  }

  // A given split stays as it is, and so does every bit of the result. A child has no use for
  // OpenCL and its times, and another thread may have held the learner's lock.
  bool adapts() const { return settings.adapt && !in_child() && !request().split; }

  LearnedTimes learned(const CallKind& kind, const PlanMachine& facts) {
    LearnedTimes known = learner.learned(kind, facts.match < ProfileMatch::device);
    // Beside a compiler every strategy is slow, so nothing is explored.
    if (background_work_is_running()) known.allowance = std::min(known.allowance, 0.0);
    return known;
  }

  // Before the device is known, only the user's settings count here.
  std::optional<Reason> why_never_gpu(Precision precision) const {
    if (in_child()) return Reason::forked_child;
    if (request().strategy == Strategy::cpu) return Reason::cpu_asked_for;
    if (gpu_is_unavailable()) return why_unavailable();
    const MachineState* machine_state = machine.found();
    if (machine_state == nullptr)
      return settings.device == "none" ? std::optional(Reason::no_device) : std::nullopt;
    if (!machine_state->facts.has_gpu) return machine_state->facts.without_gpu;
    if (request().insists_on_gpu()) return std::nullopt;
    return duoblas::why_never_gpu(machine_state->facts, precision);
  }

  // If one engine saw the driver hang, it hangs for the whole process.
  bool gpu_is_unavailable() const {
    return reopening.is_unavailable() || cl::driver_hangs() || is_distrusted();
  }

  Reason why_unavailable() const {
    return is_distrusted() ? Reason::gpu_was_wrong_before : Reason::gpu_failed_before;
  }

  // One kernel with a wrong result is the fault of the compiler or the kernel; two are the fault of
  // the device. But not if both failed in their trials: those computed nothing for the user, and a
  // compiler errs in many kernels alike.
  bool is_distrusted() const {
    const int convicted = wrong_kernels.load(std::memory_order_relaxed);
    return convicted > 0 && convicted + failed_trials.load(std::memory_order_relaxed) > 1;
  }

  bool keeps_verdicts() const { return !settings.cache_dir.empty(); }

  WorkPriority priority_of_building() {
    const MachineState* const found = machine.found();
    return building_priority(found == nullptr || found->facts.device.is_cpu);
  }

  // Done in the background while this engine lives. The device is open by then, so exit() waits
  // before the driver's handlers run, in whatever thread.
  template <typename Piece>
  void give(Piece&& piece, WorkPriority priority = WorkPriority::as_the_program) noexcept {
    static const bool exit_waits = let_exit_wait_before_handlers();
    if (!exit_waits) return;
    try {
      give_background_work(
          [shared = life, piece = std::forward<Piece>(piece)] {
            const std::lock_guard alive(shared->mutex);
            if (!shared->is_over) piece();
          },
          priority);
    } catch (const std::bad_alloc&) {
      // It is not done.
    }
  }

  // Whether a call goes to the CPU because its kernels are being built: `begins`, which may start
  // that in the background, says so. As for a product, a call that asked for nothing waits for no
  // compiler and no trial. If a device fails while kernels are tried, no call is there to report
  // it; after a few vain attempts the call itself tries and reports.
  template <typename Begins>
  bool waits_for_kernels(Begins&& begins) noexcept {
    if (!may_wait_for_kernels()) return false;
    try {
      return begins();
    } catch (const std::bad_alloc&) {
      return true;  // the CPU needs no memory for it
    }
  }

  bool may_wait_for_kernels() const {
    constexpr int most_in_vain = 3;
    return request().chooses_by_speed() &&
           vain_preparations.load(std::memory_order_relaxed) < most_in_vain;
  }

  // `build` returns whether it worked, or the kernels are known to be useless.
  template <typename Build>
  void build_in_background(GpuSide& gpu, Build&& build) noexcept {
    give(
        [this, side = &gpu, build = std::forward<Build>(build)] {
          const ForkGuard no_fork;  // compilers of drivers do not survive one
          if (in_child() || gpu_is_unavailable()) return;
          const cl::ScopedCompileApart apart(cl::quirks_of(side->info()).compiler_holds_context);
          const bool worked = build(*side);
          say_wrong_kernels(*side);
          note_preparation(worked);
        },
        priority_of_building());
  }

  void end_life() {
    const std::lock_guard waits_for_piece(life->mutex);
    life->is_over = true;
  }

  /// Of what was built in the background: whether it worked, or is known to be useless.
  void note_preparation(bool worked) noexcept;
  /// Kernels that failed their trials: each is said once; later processes say it when they are
  /// asked.
  void say_wrong_kernels(GpuSide& gpu) noexcept;
  /// For a call that was told to use the GPU, and so has waited for kernels' trials.
  void say_trials(GpuSide& gpu);
  void say_cache_problem(const GpuSide& gpu) noexcept;
  void say_if_math_is_missing(const PlanMachine& facts);
  /// What a check of a result showed. A kernel whose result was wrong is not used any more. The
  /// user must know, since not all of its earlier results were checked.
  void note_check(GpuSide& gpu, const GemmProblem& part, const Plan& plan,
                  const HybridOutcome& did);
  /// The same for a batch, by the shape with most of the work.
  void note_check(GpuSide& gpu, const BatchProblem& part, const Plan& plan,
                  const HybridOutcome& did);
  /// The same for a level-3 call as one job (engine_level3.cpp).
  void note_check(GpuSide& gpu, const Level3Problem& part, const Plan& plan,
                  const HybridOutcome& did);
  /// `convict` returns whether the kernel was usable before.
  template <typename Convict>
  void say_conviction(GpuSide& gpu, Precision precision, const KernelParams& kernel,
                      const HybridOutcome& did, Convict&& convict);
  /// \throws DeviceError, if the device may still write to C.
  void give_up_hung_gpu(const HybridOutcome& did);

  struct Admission {
    GpuSide* gpu = nullptr;  ///< null: there is none now
    std::optional<GpuGate::Pass> pass;
    bool rests = false;     ///< it was short of memory
    GpuGate::OnCpu on_cpu;  ///< of a call that the gate sent there

    /// Why there is no pass, for a call that uses the GPU.
    Reason why_not() const {
      return gpu == nullptr ? Reason::no_gpu_now
             : rests        ? Reason::gpu_short_of_memory
                            : Reason::gpu_busy;
    }
  };
  /// The GPU for a call with this plan, if it is available now. The plan of a batch has no extent
  /// of the GPU's part, so whoever has one asks whether it uses the GPU.
  Admission admit(Engine& engine, const Plan& plan);
  Admission admit_to_gpu(Engine& engine, const Plan& plan);
  class HeldDevice;  // of a call of several products, in engine_updates.cpp
  /// Records what a call showed about the device, and completes the plan if the CPU did the GPU's
  /// part.
  void settle(Outcome& outcome, const HybridOutcome& did);
  /// What a GPU's failure means for later calls, and who is told.
  void note_failure(Outcome& outcome, const HybridOutcome& did);
  void note_wrong(GpuSide& gpu, const StreamRoutine& routine,
                  const std::vector<TriedProgram>& computed, const std::string& failure);
  /// Whether the routine's kernels are refused here. Before that, a tuned kernel is given up for
  /// the built-in one.
  static bool are_refused(GpuSide& gpu, const StreamRoutine& routine);
  /// True: the program is built in the background, and the CPU computes this call.
  bool waits_for_program(GpuSide& gpu, const StreamRoutine& routine) noexcept;
  // Builds and tries them in the background.
  void build_programs(GpuSide& gpu, std::vector<TriedProgram>&& programs) noexcept;
  bool knows_streams(const PlanMachine* facts) const;

  // Work in the background holds it while it uses the engine.
  struct Life {
    std::mutex mutex;
    bool is_over = false;
  };

  const Settings settings;
  const std::shared_ptr<Life> life = std::make_shared<Life>();
  Logger logger;
  Machine machine;
  GpuGate gate;
  unsigned born_in = 0;
  std::atomic<PackedSplit> split{no_split};
  std::atomic<MathMode> math{MathMode::exact};
  ShortageBackoff shortage;
  JobBackoff job_backoff;
  ResultChecks checks{settings.check, {hand_out, machine.cpu().limits().threads}};
  StreamChecks stream_checks{settings.check};
  BuildPolicy builds, first_checks;
  std::atomic<int> wrong_kernels{0};
  std::atomic<int> failed_trials{0};
  std::atomic<int> vain_preparations{0};  ///< in a row: kernels were neither built nor refused
  std::atomic<bool> cpu_alone_has_run{false}, gpu_has_run{false};
  std::atomic<std::uint64_t> trials_said{0};
  Level3Selector level3_selector;
  std::atomic<bool> wrong_job{false};  ///< the result of a level-3 call as one job was wrong
  LapackSelector lapack_selector;
  CallLearner learner;
  std::mutex recalling;
  std::atomic<bool> has_recalled{false};
  std::unique_ptr<LearnedFile> learned_file;
  Reopening reopening;  // ends before what it uses
};

/// What a call that was carried out tells the learner.
CallTimes call_times(const Outcome& outcome);

}  // namespace duoblas

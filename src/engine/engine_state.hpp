// What an Engine holds. Private: only the files that have methods of Engine include it (engine.cpp,
// engine_*.cpp), each about one kind of call.
//
// State owns all parts of the engine. The order of its members matters: what is destroyed first may
// use what is destroyed later. Members are thread-safe, atomic or set once (learned_file: under the
// mutex `recalling`). Work in the background holds `life` while it uses the engine, and is not
// begun after end_life().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "cpu/fork_state.hpp"
#include "engine/background_work.hpp"
#include "engine/call_learner.hpp"
#include "engine/engine.hpp"
#include "engine/gpu_gate.hpp"
#include "engine/learned_file.hpp"
#include "engine/logger.hpp"
#include "engine/machine.hpp"
#include "engine/reopening.hpp"
#include "engine/result_checks.hpp"
#include "engine/shortage_backoff.hpp"
#include "engine/stream_checks.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

/// A fork waits for engines' work from now on.
void watch_forks_after_memory();

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

  // A CPU device is only good for showing that both sides work, so it must be asked for.
  const MachineState& open() {
    return machine.open(settings.standin || request().insists_on_gpu());
  }

  // Whether this engine was made before or after the fork: what OpenCL had in the parent, made by
  // whomever, is dead in the child.
  static bool in_child() { return fork_generation() != 0; }

  // What was opened is the parent's, and may be half done; the CPU's part was there from the start.
  Plan child_plan() const { return cpu_plan(machine.cpu_all(), Reason::forked_child); }

  // A leaf of a blocked routine must not open a device that no product asked for.
  const CpuConfig& all_cores(Precision precision) const {
    const MachineState* machine_state = in_child() ? nullptr : machine.found();
    return machine_state == nullptr ? machine.cpu_all()
                                    : machine_state->facts.cpu_all_for(precision);
  }

  // A split that was given stays as it is, and so does every bit of the result. OpenCL and its
  // times, and a learner whose lock another thread may have held, are the parent's business.
  bool adapts() const { return settings.adapt && !in_child() && !request().split; }

  LearnedTimes learned(const CallKind& kind, const PlanMachine& facts) {
    LearnedTimes known = learner.learned(kind, facts.match < ProfileMatch::device);
    // Beside a compiler every way is slow: nobody finds out anything.
    if (background_work_is_under_way()) known.allowance = std::min(known.allowance, 0.0);
    return known;
  }

  // Before the device is known this is about what was asked for only.
  std::optional<Reason> why_never_gpu(Precision precision) const {
    if (in_child()) return Reason::forked_child;
    if (request().strategy == Strategy::cpu) return Reason::cpu_asked_for;
    if (gpu_is_away()) return why_away();
    const MachineState* machine_state = machine.found();
    if (machine_state == nullptr)
      return settings.device == "none" ? std::optional(Reason::no_device) : std::nullopt;
    if (!machine_state->facts.has_gpu) return Reason::no_device;
    if (request().insists_on_gpu()) return std::nullopt;
    return duoblas::why_never_gpu(machine_state->facts, precision);
  }

  // What one engine saw hang hangs for all of the process.
  bool gpu_is_away() const { return reopening.is_away() || cl::driver_hangs() || is_distrusted(); }

  Reason why_away() const {
    return is_distrusted() ? Reason::gpu_was_wrong_before : Reason::gpu_failed_before;
  }

  // One kernel that computes something else is the compiler's fault or the kernel's; two are the
  // device's. Not where both failed their trials: those never computed anything, and compilers err
  // in many kernels alike.
  bool is_distrusted() const {
    const int convicted = wrong_kernels.load(std::memory_order_relaxed);
    return convicted > 0 && convicted + failed_trials.load(std::memory_order_relaxed) > 1;
  }

  bool keeps_verdicts() const { return !settings.cache_dir.empty(); }

  // Done in the background while this engine lives. The device is open by then: exit() waits before
  // the driver's handlers run, in whatever thread.
  template <typename Piece>
  void give(Piece&& piece) noexcept {
    static const bool exit_waits = let_exit_wait_before_handlers();
    if (!exit_waits) return;
    try {
      give_background_work([shared = life, piece = std::forward<Piece>(piece)] {
        const std::lock_guard alive(shared->mutex);
        if (!shared->is_over) piece();
      });
    } catch (const std::bad_alloc&) {
      // It is not done.
    }
  }

  // Whether a call goes to the CPU since `begins`, which may have its kernels built in the
  // background, says that it has. As of a product: who asked for nothing waits for no compiler and
  // no trial. A device that fails while kernels are tried has nobody to tell: after a few times in
  // vain the call itself finds out.
  template <typename Begins>
  bool waits_for_kernels(Begins&& begins) noexcept {
    constexpr int most_in_vain = 3;
    if (!request().chooses_by_speed() ||
        vain_preparations.load(std::memory_order_relaxed) >= most_in_vain)
      return false;
    try {
      return begins();
    } catch (const std::bad_alloc&) {
      return true;  // the CPU needs no memory for it
    }
  }

  // `build` says whether it worked, or the kernels are known to be of no use.
  template <typename Build>
  void build_in_background(GpuSide& gpu, Build&& build) noexcept {
    give([this, side = &gpu, build = std::forward<Build>(build)] {
      const ForkGuard no_fork;  // compilers of drivers do not survive one
      if (in_child() || gpu_is_away()) return;
      const bool worked = build(*side);
      say_wrong_kernels(*side);
      note_preparation(worked);
    });
  }

  void end_life() {
    const std::lock_guard waits_for_piece(life->mutex);
    life->is_over = true;
  }

  void note_preparation(bool worked) noexcept {
    if (worked)
      vain_preparations.store(0, std::memory_order_relaxed);
    else
      vain_preparations.fetch_add(1, std::memory_order_relaxed);
    if (cl::driver_hangs())
      logger.always(
          "the device did not end a kernel's trial (DUOBLAS_GPU_DEADLINE): it or its driver hangs; "
          "this process computes on the CPU from now on");
  }

  // Nothing was computed with them. What was found is said once; later processes say it where they
  // are asked.
  void say_wrong_kernels(GpuSide& gpu) noexcept try {
    for (const WrongKernel& wrong : gpu.take_wrong()) {
      failed_trials.fetch_add(1);
      const std::string line =
          wrong.text + (is_distrusted() ? ". The CPU computes everything from now on"
                                        : ". This kernel is not used");
      if (wrong.is_news)
        logger.wrong_result(line.c_str());
      else
        logger.once(line);
    }
  } catch (const std::bad_alloc&) {
    // Nothing of it is needed to compute.
  }

  // Where a call was told to use the GPU, it waited.
  void say_trials(GpuSide& gpu) {
    if (gpu.trials() == trials_said.load(std::memory_order_relaxed)) return;
    trials_said.store(gpu.trials(), std::memory_order_relaxed);
    say_wrong_kernels(gpu);
    if (settings.verbose > 0 && !request().chooses_by_speed())
      logger.once(
          "kernels are tried before their first use, for which calls wait that were told to use "
          "the "
          "GPU (once for a driver: DUOBLAS_CACHE_DIR remembers it)");
  }

  // A kernel whose result was wrong is not used any more. Everybody has to know, since its earlier
  // results were not all looked at.
  void note_check(GpuSide& gpu, const GemmProblem& part, const Plan& plan,
                  const HybridOutcome& did) {
    const KernelParams& kernel = plan.kernel;
    if (did.gpu_failure.empty() || did.is_wrong())
      if (const auto right = checks.ended(part, kernel, did); right > 0 && keeps_verdicts())
        give([&gpu, part, kernel, sharing = plan.sharing, right] {
          gpu.add_checked(part, kernel, sharing, right);
        });
    if (!did.is_wrong()) return;
    say_conviction(gpu, part.precision, kernel, did,
                   [&] { return gpu.convict(part, kernel, plan.sharing, did.gpu_failure); });
  }

  /// The same of a batch, by the shape that has most of the work.
  void note_check(GpuSide& gpu, const BatchProblem& part, const Plan& plan,
                  const HybridOutcome& did) {
    if (did.gpu_failure.empty() || did.is_wrong())
      checks.ended(part.largest()->shape, plan.kernel, did);
    if (!did.is_wrong()) return;
    say_conviction(gpu, part.precision, plan.kernel, did,
                   [&] { return gpu.convict(part, plan.sharing, did.gpu_failure); });
  }

  /// The same of a level-3 call as one job (engine_level3.cpp).
  void note_check(GpuSide& gpu, const Level3Problem& part, const Plan& plan,
                  const HybridOutcome& did);

  /// `convict`: whether the kernel was not refused before.
  template <typename Convict>
  void say_conviction(GpuSide& gpu, Precision precision, const KernelParams& kernel,
                      const HybridOutcome& did, Convict&& convict) {
    try {
      if (convict()) wrong_kernels.fetch_add(1);
    } catch (const std::bad_alloc&) {
      wrong_kernels.store(2);  // nothing can be kept of this kernel alone
    }
    const auto unchecked = checks.unchecked(kernel, precision);
    char line[700];
    std::snprintf(
        line, sizeof line,
        "%cgemm on %s: %.300s. The CPU computed it again, and %s. %llu earlier results of "
        "this kernel in this process were not checked and may be wrong "
        "(DUOBLAS_CHECK=always checks every one)",
        letter(precision), gpu.info().name.c_str(), did.gpu_failure.c_str(),
        is_distrusted() ? "computes everything from now on"
                        : "this kernel is not used any more in this process",
        static_cast<unsigned long long>(unchecked));
    logger.wrong_result(line);
  }

  // Said at every level of verbosity, since from now on nothing of the device is let go of.
  void give_up_hung_gpu(const HybridOutcome& did) {
    char line[400];  // C may be there: what is said of it must not fail
    std::snprintf(line, sizeof line, "%s; this process computes on the CPU from now on",
                  did.gpu_failure.c_str());
    logger.always(line);
    if (did.c_is_out_of_reach)
      throw DeviceError(did.gpu_failure +
                        "; it may still write to C, which is not what it should be. "
                        "DUOBLAS_STRATEGY=cpu does without the GPU");
  }

  void say_if_math_is_missing(const PlanMachine& facts) {
    if (settings.verbose < 1 || !facts.has_gpu || tf32x3_kernel(facts.device)) return;
    logger.once("tf32x3: this device has no TF32 matrix instructions; products are exact");
  }

  struct Admission {
    GpuSide* gpu = nullptr;  ///< null: there is none now
    std::optional<GpuGate::Pass> pass;
    bool rests = false;  ///< it was short of memory
  };
  Admission admit(Engine& engine, const Plan& plan);
  void settle(Outcome& outcome, const HybridOutcome& did);
  /// What a GPU's failure means for the calls that follow, and who hears of it.
  void note_failure(Outcome& outcome, const HybridOutcome& did);
  void note_wrong(GpuSide& gpu, const StreamRoutine& routine,
                  const std::vector<TriedProgram>& computed, const std::string& failure);
  /// Whether the routine's kernels are refused here; what tuning chose is given up for what is
  /// built in first.
  static bool are_refused(GpuSide& gpu, const StreamRoutine& routine);
  /// True: the program is built in the background, and the CPU computes this call.
  bool waits_for_program(GpuSide& gpu, const StreamRoutine& routine) noexcept;
  bool knows_streams(const PlanMachine* facts) const;

  // Pieces of work in the background hold it while they use the engine.
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
  ResultChecks checks{settings.check};
  StreamChecks stream_checks{settings.check};
  std::atomic<int> wrong_kernels{0};
  std::atomic<int> failed_trials{0};
  std::atomic<int> vain_preparations{0};  ///< in a row: kernels were neither built nor refused
  std::atomic<bool> cpu_alone_has_run{false}, gpu_has_run{false};
  std::atomic<std::uint64_t> trials_said{0};
  Level3Selector level3_selector;
  std::atomic<bool> wrong_job{
      false};  ///< a level-3 call as one job of the device had a wrong result
  LapackSelector lapack_selector;
  CallLearner learner;
  std::mutex recalling;
  std::atomic<bool> has_recalled{false};
  std::unique_ptr<LearnedFile> learned_file;
  Reopening reopening;  // ends before what it uses
};

}  // namespace duoblas

// The engine behind duoblas::Context: decides who computes a call, carries that out on both sides,
// and recovers from a GPU that fails.
//
//   Context, C functions, jobs, drop-in ─> (level3, lapack) ─> decide() -> Decision
//                                                              carry_out() -> Outcome
//
// In: a problem (row-major, 64-bit; the matrices stay the caller's). Out: C, and an Outcome that
// says what happened. An engine owns what was found of the machine (machine.hpp), the gate to the
// one GPU (gpu_gate.hpp), the learner, the checks of results and the threads that work in the
// background. It calls the planner for plans and hybrid_gemm.hpp for the work.
// Threads: any number may call at once. The CPU's side works on the calling thread and the CPU
// BLAS's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <duoblas/settings.hpp>

#include "engine/call_learner.hpp"
#include "engine/device_updates.hpp"
#include "engine/outcome.hpp"
#include "engine/result_checks.hpp"
#include "engine/retry_schedule.hpp"
#include "engine/stream_routine.hpp"
#include "planner/batch_plan.hpp"
#include "planner/decision.hpp"
#include "planner/lapack_selector.hpp"
#include "planner/level3_selector.hpp"
#include "planner/planner.hpp"
#include "problem/blas_call.h"
#include "problem/host_rect.hpp"

namespace duoblas {

/// The device's part of a level-3 call, and what the CPU does beside it and after it.
struct Level3Parts {
  Level3Problem gpu;
  Plan plan;
  std::function<void()> beside;
  /// What the device did not do of `gpu`: all of it if it did nothing.
  std::function<void(const Level3Progress&)> rest;
  MatricesInPlace in_place;  ///< that the device may use where they are
  HostRect of_host;          ///< what `beside` writes
};

/// Thread-safe. Nothing of OpenCL or the CPU BLAS is loaded before it is needed. In a forked child
/// every product runs on the CPU.
class Engine {
 public:
  /// \throws SettingError if the settings cannot be met (a stand-in with one core, say).
  /// `pauses`: the waits before each try to open a lost device again.
  explicit Engine(Settings settings, const RetryPauses& pauses = {});
  ~Engine();

  /// Who computes a product, and how. Made once per call. Opens the device if the product is large
  /// enough for it. With `settings.adapt` and no split given, it follows what earlier calls took.
  Decision decide(const GemmProblem& problem);
  /// Computes as decided. If the GPU is busy or fails meanwhile, the CPU computes instead, and the
  /// outcome says so. `resident`: copies by make_resident() that the GPU may read instead of the
  /// caller's memory. \throws CpuBlasError; DeviceError if the GPU hangs and may still write to C,
  /// which is incomplete then. After any other failure of the GPU C is complete.
  Outcome carry_out(const GemmProblem& problem, Decision&& decision,
                    const ResidentOperands& resident = {});
  Outcome carry_out(const GemmProblem& problem, const Decision& decision,
                    const ResidentOperands& resident = {});
  /// decide(), then carry_out().
  Outcome run(const GemmProblem& problem, const ResidentOperands& resident = {});
  /// Computes as told, for tuning and comparisons: nothing adapts. Recovers like carry_out().
  Outcome run(const GemmProblem& problem, const Plan& plan, const ResidentOperands& resident = {});

  /// A call whose speed memory limits, on the faster side or on both. \throws CpuBlasError;
  /// DeviceError if the GPU hangs and may still write to the result. After any other failure of the
  /// GPU the result is complete.
  Outcome run(const StreamRoutine& routine);
  /// Its two halves, as a product's. \pre there are outputs.
  Decision decide(const StreamRoutine& routine);
  Outcome carry_out(const StreamRoutine& routine, Decision&& decision);
  /// Who computes it, as run() would decide now. Opens the device where the call is large enough.
  Plan plan(const StreamRoutine& routine);
  /// Computes as told, for tuning and comparisons: nothing adapts, and the call waits for
  /// compilers. Recovers like run().
  Outcome run(const StreamRoutine& routine, const Plan& plan);
  /// Decides and computes many products: of large ones each as by run(), of the others the batch is
  /// divided by products. Errors as carry_out's.
  Outcome run(const BatchProblem& batch);

  /// The same, but prints no line: for products of the engine's own (warm_up.hpp).
  Outcome run_unseen(const GemmProblem& problem, const Plan& plan);
  /// Prints a line where explanations are wanted (DUOBLAS_VERBOSE=1), the same one once.
  void explain(const char* text);

  /// decide() and carry_out() for one product inside a larger call. They print nothing: say()
  /// prints one line for the whole call.
  Plan plan(const GemmProblem& problem);
  Outcome carry_out_part(const PlannedProduct& product);
  void say(const Level3Problem& problem, const Decision& decision, const Outcome& outcome);
  /// A call that the device does as one job (level3_program.hpp), where it can be had now; else
  /// the CPU does it. Errors as carry_out's.
  Outcome carry_out(const Level3Parts& parts);
  /// A call of several products whose order is the caller's: the device is this call's from the
  /// first of `steps` to the last, where it can be had now. `kernels`: a product for each kernel
  /// that it takes, planned alike. The outcome's whole time is that of `steps`. Errors as
  /// carry_out's, and what `steps` throws.
  Outcome carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps);
  /// A check of such a call, if one is due and memory suffices. Call it before the matrix is
  /// written.
  std::optional<FactorisationCheck> begin_check(const DeviceFactorisation& call) noexcept;
  /// What became of the call, with a check or without. True: it is wrong, so that the CPU has to do
  /// it again with the matrix as it was, and such calls are not done this way any more. \pre the
  /// device did it.
  bool is_wrong(const DeviceFactorisation& call, FactorisationCheck* check,
                Outcome& outcome) noexcept;
  /// Whether the device has memory for such a matrix. Opens no device.
  bool takes_at_once(const DeviceFactorisation& call) const;
  void say(const LapackProblem& problem, const Decision& decision, const Outcome& outcome);
  /// Whether the device has memory for all of such a call. Opens no device.
  bool takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const;
  /// One product for each kernel of such a call, with a plan by which has_kernels() tells of it.
  std::vector<PlannedProduct> products_of(const DeviceCall& call) const;
  std::vector<PlannedProduct> products_of(const DeviceFactorisation& call) const;
  /// What a program's calls of LAPACK took, here and in its own.
  LapackSelector& lapack_selector();
  /// What such calls took as one job, and by halves, in earlier processes too.
  Level3Selector& level3_selector();

  /// The part of a product's time that the device is likely to save, as the profile of the device
  /// says that was last opened on this machine; nothing: it is not known, or only calls can tell.
  /// Opens no device. \throws std::bad_alloc.
  std::optional<double> promised_gain(const GemmProblem& problem);
  /// The same of a call that memory bounds, by what is expected of any.
  std::optional<double> promised_gain(const StreamRoutine& routine);

  /// A copy of the matrix on the device, for products that run there on copies. Null if products do
  /// not, as far as is known now, or if the device has not enough memory.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix, Precision precision);

  /// Whether run() with this plan would find the kernels of the GPU's part built and tried. Opens
  /// no device, waits for nothing.
  bool has_kernels(const GemmProblem& problem, const Plan& plan) const;
  /// How many seconds longer run() with this plan would take because C's old values must be kept to
  /// check a kernel's first results; 0: they need not be kept. An estimate.
  double seconds_of_first_check(const GemmProblem& problem, const Plan& plan) const noexcept;
  double seconds_of_first_check(const DeviceCall& call) const noexcept;
  double seconds_of_first_check(const DeviceFactorisation& call) const noexcept;
  /// As has_kernels(). If false, they are built and tried in the background from now on.
  /// \pre the device is open, fork_generation() == 0.
  bool finds_kernels(const GemmProblem& problem, const Plan& plan) noexcept;
  /// The same of the program of a call that memory bounds.
  bool has_program(const StreamRoutine& routine);
  bool finds_program(const StreamRoutine& routine);
  /// Builds them, or loads them from the cache, and tries those that are not known to be right, on
  /// this thread and beside whoever computes. Nothing of the operands is read or written. A fork
  /// waits for it.
  void build_kernels(const GemmProblem& problem, const Plan& plan) noexcept;
  /// If plans of this type copy operands, makes queues, threads and page-locked memory, for which
  /// the first such product would wait. Nobody else may use the device meanwhile. A fork waits for
  /// it.
  void build_transfers(Precision precision) noexcept;

  /// The CPU BLAS's own routine, on all cores; preconditions as CpuSide::run's. \throws
  /// CpuBlasError.
  void run_on_cpu(const Level3Problem& problem);
  /// \throws CpuBlasError where run_on_cpu could not do this routine.
  void require_on_cpu(Routine routine, Precision precision);
  /// Whether run_on_cpu() can do this routine.
  bool has_on_cpu(Routine routine, Precision precision);
  /// Whether the CPU BLAS brings this part of LAPACK along.
  bool has_on_cpu(LapackRoutine routine, Precision precision);

  /// The same of what a call that memory bounds needs on its plan's cores. \throws CpuBlasError.
  void require_on_cpu(const StreamRoutine& routine, const Plan& plan);
  /// The CPU alone, on all cores. Opens no device.
  Plan cpu_alone(Precision precision, Reason reason) const;

  /// Seconds of the CPU alone on all cores, by the cost model; 0: it has no estimate. Opens no
  /// device.
  double estimated_cpu_seconds(const GemmProblem& problem) const;

  /// What was asked for: the settings, or what set_split() and set_math() made of them.
  PlanRequest request() const;
  /// Whether what calls take is learned, and decides: not with a split that was given.
  bool learns() const;
  /// Loads what an earlier process learned on this machine. Otherwise the first planned call does
  /// that. Opens the device.
  void recall();
  /// For calls that are decided outside: a program's. Opens the device.
  LearnedTimes learned(const CallKind& kind);
  CallLearner& learner();

  /// Whether the GPU is used wherever it can be, however long that takes. Not in a forked child.
  bool insists_on_gpu() const;
  /// Why every call of this type is the CPU's, as it seems now; nothing: not every one is. Opens no
  /// device.
  std::optional<Reason> why_never_gpu(Precision precision) const;
  /// A product with fewer flops goes to the CPU, whatever its shape: infinity if every one does, 0
  /// if insists_on_gpu(). Opens no device. Before one is open, smaller products do not open one.
  double smallest_gemm_flops(Precision precision) const;

  /// The same of calls that memory bounds, but those of which the device has a copy: bytes under
  /// which decide() leaves them to the CPU. Before a device is open they are by what this machine
  /// had when one was last opened here, and infinite where that is not known.
  std::optional<Reason> why_never_stream(Precision precision) const;
  double smallest_bytes(Precision precision) const;

  /// Overrides the settings' split from the next call on, at every size; nothing: takes it back.
  void set_split(std::optional<Share> split);

  /// The arithmetic from the next call on.
  void set_math(MathMode math);

  /// Which results are checked from the next call on.
  void set_check(CheckMode check);
  /// What checks of this engine's results showed.
  CheckCounts checks() const;

  const Settings& settings() const;
  /// Opens the device at the first call. Null: CPU-only, and gpu_problem() says why.
  GpuSide* gpu();
  std::string gpu_problem();
  /// Devices that would have been taken before the one that was opened, and why they were not;
  /// empty where there are none. Opens the device.
  std::string passed_over();
  CpuSide& cpu();
  /// What the planner sees, the loaded profile (or the one that stands in) included. Opens the
  /// device.
  const PlanMachine& machine();
  /// The key under which a profile of this machine is stored. Opens the device.
  ProfileKey profile_key();
  /// What the device is, for the profile that is stored. Opens the device.
  ProfileOrigin profile_origin();
  /// Uses this profile from now on. Not to be called while other threads compute.
  void adopt(const Profile& profile);
  /// What is wrong with a damaged or unreadable profile; empty: nothing.
  std::string profile_problem();

 private:
  Plan planned(const GemmProblem& problem, const PlanMachine& facts, const PlanRequest& wanted);
  Outcome compute(const GemmProblem& problem, Plan&& plan, const ResidentOperands& resident,
                  bool as_told);
  Outcome compute_parts(const GemmProblem& problem, Plan&& plan, const ResidentOperands& resident,
                        bool as_told, CallTimes* took);
  Outcome compute_and_learn(const GemmProblem& problem, Plan&& plan,
                            const ResidentOperands& resident);
  Outcome compute(const StreamRoutine& routine, Plan&& plan, bool as_told);
  BatchPlan plan(const BatchProblem& batch);
  Outcome compute(const BatchProblem& batch, const BatchPlan& planned);
  Outcome compute_and_learn(const BatchProblem& batch, BatchPlan&& planned);
  bool waits_for_trials(GpuSide& gpu, const BatchProblem& part, SharingMode sharing) noexcept;
  /// Whether a call goes to the CPU while its kernels are tried in the background.
  bool waits_for_trials(GpuSide& gpu, const GemmProblem& problem, const Plan& plan) noexcept;
  bool waits_for_trials(GpuSide& gpu, const Level3Parts& parts) noexcept;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace duoblas

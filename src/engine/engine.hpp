// The engine behind duoblas::Context: decides who computes a call, carries that out on both sides,
// and recovers from a GPU that fails.
//
//     Context, C functions, jobs, drop-in ─> (level3, lapack) ─> decide() -> Decision
//                                                                carry_out() -> Outcome
//
// In: a problem (row-major, 64-bit; the matrices stay the caller's). Out: C, and an Outcome that
// says what happened. An engine owns the facts about the machine (machine.hpp), the gate to the one
// GPU (gpu_gate.hpp), the learner, the checks of results and the background threads. It calls the
// planner for plans and hybrid_gemm.hpp for the work. Threads: any number may call at once. The
// CPU's side works on the calling thread and the CPU BLAS's threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  /// Does the part of `gpu` that the device did not do: all of it if the device did nothing.
  std::function<void(const Level3Progress&)> rest;
  MatricesInPlace in_place;  ///< those that the device may use in place
  HostRect of_host;          ///< the memory that `beside` writes
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
  /// Computes as the plan says, for tuning and comparisons: nothing adapts. Recovers like
  /// carry_out().
  Outcome run(const GemmProblem& problem, const Plan& plan, const ResidentOperands& resident = {});

  /// A memory-bound call, on the faster side or on both. \throws CpuBlasError; DeviceError if the
  /// GPU hangs and may still write to the result. After any other failure of the GPU the result is
  /// complete.
  Outcome run(const StreamRoutine& routine);
  /// Decides who computes it, as for a product. \pre there are outputs.
  Decision decide(const StreamRoutine& routine);
  Outcome carry_out(const StreamRoutine& routine, Decision&& decision);
  /// Who computes it, as run() would decide now. Opens the device if the call is large enough.
  Plan plan(const StreamRoutine& routine);
  /// Computes as the plan says, for tuning and comparisons: nothing adapts, and the call waits for
  /// compilers. Recovers like run().
  Outcome run(const StreamRoutine& routine, const Plan& plan);
  /// Decides and computes many products. Large products are done one by one as by run(); otherwise
  /// the batch is divided by products. Errors as for carry_out.
  Outcome run(const BatchProblem& batch);

  /// run() with a plan, but prints no line: for the engine's own products (warm_up.hpp).
  Outcome run_unseen(const GemmProblem& problem, const Plan& plan);
  /// Prints a line if explanations are wanted (DUOBLAS_VERBOSE=1); the same line only once.
  void explain(const char* text);

  /// decide() and carry_out() for one product inside a larger call. They print nothing: say()
  /// prints one line for the whole call.
  Plan plan(const GemmProblem& problem);
  /// plan() in exact arithmetic, whatever was asked for: for calls that consist of products too
  /// small for the kernels of tf32x3.
  Plan exact_plan(const GemmProblem& problem);
  /// plan() for a product beside which the CPU has other work of the call: both sides, where the
  /// device works in place, even if the CPU alone is expected to be as fast as both.
  Plan plan_beside_work(const GemmProblem& problem);
  /// exact_plan() for a product that stands for a whole call of LAPACK on copies. Calls of LAPACK
  /// show nothing about products. So where what products showed speaks against the device, but its
  /// profile promises a gain, this is the device's plan all the same: its expected time is in it,
  /// and the times of whole calls decide (LapackSelector). `narrow`: one of the call's updates,
  /// if these have narrow results (kernel_of_use).
  Plan plan_of_lapack(const GemmProblem& problem, const std::optional<GemmProblem>& narrow = {});
  Outcome carry_out_part(const PlannedProduct& product);
  void say(const Level3Problem& problem, const Decision& decision, const Outcome& outcome);
  /// A call that the device does as one job (level3_program.hpp), if it is available now; else the
  /// CPU does it. Errors as for carry_out.
  Outcome carry_out(const Level3Parts& parts);
  /// A call of several products whose order the caller decides. The device belongs to this call
  /// from the first of `steps` to the last, if it is available now. `kernels`: one product for each
  /// kernel that the call uses, planned alike. The outcome's whole time is that of `steps`. Errors
  /// as for carry_out, and those of `steps`.
  Outcome carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps);
  /// A check of such a call, if one is due and memory suffices. Call it before the matrix is
  /// written.
  std::optional<FactorisationCheck> begin_check(const DeviceFactorisation& call) noexcept;
  /// Records the result of the call, with a check or without. True: it is wrong. Then the CPU has
  /// to do the call again from the old matrix, and such calls do not use the device any more. \pre
  /// the device did it.
  bool is_wrong(const DeviceFactorisation& call, FactorisationCheck* check,
                Outcome& outcome) noexcept;
  /// Whether the device has memory for such a matrix. Opens no device.
  bool takes_at_once(const DeviceFactorisation& call) const;
  /// Whether the device would factorise the panels of such a getrf too, as far as is known. Opens
  /// no device.
  bool makes_panels(const DeviceFactorisation& call) const;
  void say(const LapackProblem& problem, const Decision& decision, const Outcome& outcome);
  /// Whether the device has memory for all of such a call. Opens no device.
  bool takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const;
  /// One product for each kernel of such a call, with a plan for has_kernels().
  std::vector<PlannedProduct> products_of(const DeviceCall& call) const;
  std::vector<PlannedProduct> products_of(const DeviceFactorisation& call) const;
  /// The times of a program's calls of LAPACK, here and in its own library.
  LapackSelector& lapack_selector();
  /// The times of such calls as one job and by halves, those of earlier processes included.
  Level3Selector& level3_selector();

  /// The part of a product's time that the device is likely to save, by the profile of the device
  /// that was last opened on this machine; nothing: it is not known, or only calls can tell. Opens
  /// no device. \throws std::bad_alloc.
  std::optional<double> promised_gain(const GemmProblem& problem);
  /// The same for a memory-bound call, by what is expected of every such call.
  std::optional<double> promised_gain(const StreamRoutine& routine);

  /// A copy of the matrix on the device, for products that work on copies there. Null if products
  /// do not, as far as is known now, or if the device lacks the memory.
  std::shared_ptr<const ResidentMatrix> make_resident(const HostRect& matrix, Precision precision);

  /// Whether the kernels for this plan's GPU part are built and tried. Opens no device, waits for
  /// nothing.
  bool has_kernels(const GemmProblem& problem, const Plan& plan) const;
  /// The seconds that run() with this plan takes to keep C's old values for a check of a kernel's
  /// first results; 0: it keeps none. An estimate.
  double seconds_of_first_check(const GemmProblem& problem, const Plan& plan) const noexcept;
  double seconds_of_first_check(const DeviceCall& call) const noexcept;
  double seconds_of_first_check(const DeviceFactorisation& call) const noexcept;
  /// Whether calls have missed kernels for as long as it takes a program to build them, with this
  /// call. \param missed the seconds that it was expected to gain. They are spent then.
  bool build_pays(double missed) noexcept;
  /// The same for checks of first results, which take `cost` seconds.
  bool check_pays(double missed, double cost) noexcept;
  /// Why the CPU does a call that was decided by speed: its kernels are not tried or its first
  /// results not checked, and calls have not missed that for long enough, or its kernels are being
  /// built, if need be from now on. Nothing: the device does it. \param missed as above. For calls
  /// of the library's interface; a drop-in waits for more. \pre the device is open.
  std::optional<Reason> why_not_yet(const std::vector<CallStep>& steps, double missed);
  /// As has_kernels(). If they are not there, starts to build and try them in the background. \pre
  /// the device is open, fork_generation() == 0.
  bool finds_kernels(const GemmProblem& problem, const Plan& plan) noexcept;
  /// The same for what a call's steps launch beside products.
  bool has_programs(const std::vector<CallStep>& steps) const;
  bool finds_programs(const std::vector<CallStep>& steps) noexcept;
  /// has_kernels() and finds_kernels() for the program of a memory-bound call.
  bool has_program(const StreamRoutine& routine);
  bool finds_program(const StreamRoutine& routine);
  /// Builds the kernels or loads them from the cache, and tries those that are not known to be
  /// right, on this thread, beside running calls. Does not touch the operands. A fork waits for it.
  void build_kernels(const GemmProblem& problem, const Plan& plan) noexcept;
  /// The same; calls that use the device meanwhile do not wait for a compiler.
  void build_kernels_apart(const GemmProblem& problem, const Plan& plan) noexcept;
  /// If plans of this type copy operands, makes queues, threads and page-locked memory, because the
  /// first such product would wait for them. Nobody else may use the device meanwhile. A fork waits
  /// for it.
  void build_transfers(Precision precision) noexcept;

  /// Runs the CPU BLAS's own routine, on all cores; preconditions as for CpuSide::run. Needs no
  /// memory where the BLAS is loaded. \throws CpuBlasError.
  void run_on_cpu(const Level3Problem& problem);
  void run_on_cpu(const GemmProblem& problem);
  /// \returns LAPACK's info.
  int run_on_cpu(const LapackProblem& problem);
  /// \throws CpuBlasError if run_on_cpu cannot do this routine.
  void require_on_cpu(Routine routine, Precision precision);
  /// Whether run_on_cpu() can do this routine.
  bool has_on_cpu(Routine routine, Precision precision);
  /// Whether the CPU BLAS contains this part of LAPACK.
  bool has_on_cpu(LapackRoutine routine, Precision precision);

  /// Returns if the CPU BLAS has the routine that a memory-bound call needs on its plan's cores.
  /// \throws CpuBlasError.
  void require_on_cpu(const StreamRoutine& routine, const Plan& plan);
  /// The CPU alone, on all cores. Opens no device.
  Plan cpu_alone(Precision precision, Reason reason) const;

  /// Seconds of the CPU alone on all cores, by the cost model; 0: it has no estimate. Opens no
  /// device.
  double estimated_cpu_seconds(const GemmProblem& problem) const;

  /// What the user asked for: the settings, changed by set_split() and set_math().
  PlanRequest request() const;
  /// Whether the engine learns from the times of calls; not with a given split.
  bool learns() const;
  /// Loads what an earlier process learned on this machine, which otherwise the first planned call
  /// does. Opens the device. Does nothing if memory is short for what was learned: the next planned
  /// call tries again.
  void recall();
  /// For calls that are decided outside of the engine: a program's own. Opens the device.
  LearnedTimes learned(const CallKind& kind);
  CallLearner& learner();

  /// Whether the GPU is used whenever possible, however long that takes. False in a forked child.
  bool insists_on_gpu() const;
  /// Why every call of this type goes to the CPU, as it seems now; nothing if some do not. Opens no
  /// device.
  std::optional<Reason> why_never_gpu(Precision precision) const;
  /// A product with fewer flops goes to the CPU, whatever its shape. Infinity if every product
  /// does, 0 if insists_on_gpu(). Opens no device; until one is open, smaller products do not open
  /// one.
  double smallest_gemm_flops(Precision precision) const;

  /// why_never_gpu() and smallest_gemm_flops() for memory-bound calls, except those whose matrix
  /// the device has: bytes below which decide() leaves them to the CPU. Before a device is open
  /// both follow from the device that was last opened here. If that is not known, the bytes are
  /// infinite.
  std::optional<Reason> why_never_stream(Precision precision) const;
  double smallest_bytes(Precision precision) const;

  /// Overrides the settings' split from the next call on, at every size; nothing: ends that.
  void set_split(std::optional<Share> split);

  /// The arithmetic from the next call on.
  void set_math(MathMode math);

  /// Which results are checked from the next call on.
  void set_check(CheckMode check);
  /// The counts of this engine's checks.
  CheckCounts checks() const;

  const Settings& settings() const;
  /// Opens the device at the first call. Null: CPU-only, and gpu_problem() says why.
  GpuSide* gpu();
  std::string gpu_problem();
  /// Devices that come before the one that was opened, and why they were not used; empty if there
  /// are none. Opens the device.
  std::string passed_over();
  CpuSide& cpu();
  /// The planner's facts, including the loaded profile or the one used in its place. Opens the
  /// device.
  const PlanMachine& machine();
  /// The key under which a profile of this machine is stored. Opens the device.
  ProfileKey profile_key();
  /// Describes the device, for the profile that is stored. Opens the device.
  ProfileOrigin profile_origin();
  /// Uses this profile from now on. Do not call it while other threads compute.
  void adopt(const Profile& profile);
  /// What is wrong with a damaged or unreadable profile; empty: nothing is.
  std::string profile_problem();

 private:
  /// The device, if one is open and this is no forked child. Opens none.
  GpuSide* opened_gpu() const;
  Plan plan(const GemmProblem& problem, const PlanRequest& wanted);
  Plan planned(const GemmProblem& problem, const PlanMachine& facts, const PlanRequest& wanted);
  /// why_not_yet() for one product and for a memory-bound call.
  std::optional<Reason> why_not_yet(const GemmProblem& problem, const Plan& plan);
  std::optional<Reason> why_not_yet(const StreamRoutine& routine, const Plan& plan);
  template <typename Build>
  Reason why_not_built_yet(double missed, Build&& build);
  bool may_be_paid_for(const Plan& plan) const;
  Outcome compute(const GemmProblem& problem, Plan&& plan, const ResidentOperands& resident,
                  bool as_told);
  Outcome compute_parts(const GemmProblem& problem, Plan&& plan, const ResidentOperands& resident,
                        bool as_told, CallTimes* took);
  Outcome compute_and_learn(const GemmProblem& problem, Plan&& plan,
                            const ResidentOperands& resident);
  Outcome compute(const StreamRoutine& routine, Plan&& plan, bool as_told);
  /// Do what the outcome's plan says. They return whether the call started something, so that its
  /// time says nothing of later ones.
  bool compute_on_cpu(const StreamRoutine& routine, Outcome& outcome);
  bool compute_with_gpu(const StreamRoutine& routine, GpuSide& gpu, Outcome& outcome);
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

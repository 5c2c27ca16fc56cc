// The engine behind duoblas::Context: decides who computes a call, carries that out on both sides,
// and recovers from a GPU that fails.
//
//     Context, C functions, jobs, drop-in ─> (level3, lapack) ─> decide() -> Decision
//                                                                carry_out() -> Outcome
//
// In: a problem (row-major, 64-bit; the matrices stay the caller's). Out: C, and an Outcome that
// says what happened. An engine owns the facts about the machine (machine.hpp), the gate to the one
// GPU (gpu_gate.hpp), the learner, the checks of results and the background threads. It asks the
// planner for plans, and its driver of calls (engine_calls.cpp) does the work. Threads: any number
// may call at once. The CPU's side works on the calling thread and the CPU BLAS's threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <duoblas/settings.hpp>

#include "engine/device_jobs.hpp"
#include "engine/device_updates.hpp"
#include "engine/learning.hpp"
#include "engine/logger.hpp"
#include "engine/machine_facts.hpp"
#include "engine/outcome.hpp"
#include "engine/outlays.hpp"
#include "engine/plans.hpp"
#include "engine/readiness.hpp"
#include "engine/reopening.hpp"
#include "engine/result_checks.hpp"
#include "planner/decision.hpp"
#include "planner/planner.hpp"
#include "problem/batch_problem.hpp"
#include "problem/blas_call.h"
#include "problem/host_rect.hpp"

namespace duoblas {

struct EngineState;

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
  /// The same for a gemv. `a`: a copy by make_resident() that contains A; null: there is none. \pre
  /// y is not empty.
  Decision decide(const GemvProblem& problem, const ResidentMatrix* a = nullptr);

  /// Computes as decided. If the GPU is busy or fails meanwhile, the CPU computes instead, and the
  /// outcome says so. `resident`: copies by make_resident() that the GPU may read instead of the
  /// caller's memory. \throws CpuBlasError; DeviceError if the GPU hangs and may still write to C,
  /// which is incomplete then. After any other failure of the GPU C is complete.
  Outcome carry_out(const GemmProblem& problem, Decision&& decision,
                    const ResidentOperands& resident = {});
  Outcome carry_out(const GemvProblem& problem, Decision&& decision,
                    const ResidentMatrix* a = nullptr);
  /// A product of the engine's own: as told.
  Outcome carry_out(const PlannedProduct& product);
  /// A call of level 3, whose steps have the device if it is available then. `launched`: what they
  /// launch there. `plan`: of all of them, for the admission; the outcome has that of the first
  /// product, if there is one. Errors as above, and those of `steps`.
  Outcome carry_out(Precision precision, const std::vector<CallStep>& launched, Plan&& plan,
                    const Level3Steps& steps);
  /// A call of LAPACK, of several products whose order the caller decides. The device belongs to
  /// this call from the first of `steps` to the last, if it is available now. `kernels`: one
  /// product for each kernel that the call uses, planned alike. `jobs`: what the device does at one
  /// go, in the order of DeviceUpdates::done(); the first one for which a check is due is checked.
  /// Errors as above, and those of `steps`.
  Outcome carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps,
                    std::span<HeldJob> jobs = {});

  /// decide(), then carry_out().
  Outcome run(const GemmProblem& problem, const ResidentOperands& resident = {});
  Outcome run(const GemvProblem& problem, const ResidentMatrix* a = nullptr);
  /// Many products: large ones, or all where the user insists on the GPU, are done one by one as
  /// above; the CPU does the others together.
  Outcome run(const BatchProblem& batch);
  /// Computes as the plan says, for tuning and comparisons: nothing adapts, and the call waits for
  /// compilers. Recovers like carry_out().
  Outcome run(const GemmProblem& problem, const Plan& plan, const ResidentOperands& resident = {});
  Outcome run(const GemvProblem& problem, const Plan& plan, const ResidentMatrix* a = nullptr);

  // Its parts, each with a header of its own.
  Plans& plans() const;
  Learning& learning() const;
  Readiness& readiness() const;
  Outlays& outlays() const;
  DeviceJobs& jobs() const;
  ResultChecks& checks() const;
  MachineFacts& facts() const;
  Logger& log() const;

  const Settings& settings() const;
  /// Opens the device at the first call. Null: CPU-only, and facts().gpu_problem() says why.
  GpuSide* gpu();
  CpuSide& cpu();
  /// The planner's facts, including the loaded profile or the one used in its place. Opens the
  /// device.
  const PlanMachine& machine();

 private:
  std::unique_ptr<EngineState> state_;
};

}  // namespace duoblas

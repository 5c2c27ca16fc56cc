// One call, as the engine's driver (engine_calls.cpp) sees it: it says what the call is, and how
// each side does its part; the driver says when. An object refers to the caller's matrices and to
// the call's outcome, and lives for one call.
//
//   admit ─> ready? ─> GuardedJob: start, run_beside, wait, check, publish ─> settle ─> learn
//                 │                └─ it failed: finish; it was wrong: undo, run_part
//                 └──> run_alone
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "check/result_check.hpp"
#include "cpu/cpu_side.hpp"
#include "engine/job_kind.hpp"
#include "engine/launches.hpp"
#include "engine/outcome.hpp"
#include "engine/result_checks.hpp"
#include "gpu/gpu_side.hpp"
#include "planner/plan.hpp"

namespace duoblas {

struct Admission;

/// What a check of the device's part showed.
struct PartCheck {
  std::optional<CheckedResult> result;  ///< for the counts; it may tell of a wrong element
  bool wrong = false;                   ///< where there are no such results
  /// The call's times contain it, since all results are checked; or since it took place while the
  /// result arrived, or kept old values for it: of such times nothing is learned.
  bool in_times = false, is_unusual = false;
  double apart_seconds = 0;  ///< of a check that is not in the times
};

/// What a wrong result is the fault of, in the words of the line about it.
struct Suspect {
  char call[120] = {};                  ///< "dgemm"
  const char* with = "";                ///< " with the matrix"
  const char* as = "";                  ///< " as one job"
  const char* results = "this kernel";  ///< whose earlier results may be wrong, too
  /// How such calls are done from now on; null: with other kernels.
  const char* instead = nullptr;
  std::optional<std::uint64_t> unchecked;  ///< of these results; nothing: they are not counted
};

class Call {
 public:
  /// \pre `told.plan` is what was decided.
  explicit Call(Outcome& told) : outcome(told), plan(told.plan) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  Outcome& outcome;
  Plan& plan;  ///< the outcome's: as decided, and changed to what is carried out

  virtual Precision precision() const = 0;
  /// Whether the device has a part by the plan.
  virtual bool uses_gpu() const { return plan.uses_gpu(); }
  /// Whether the device's part has the plan's kernel.
  virtual bool launches_plans_kernel() const { return true; }
  /// Whether a wrong result says something about all calls that the device does as one job.
  virtual bool is_job() const { return false; }
  /// Whether it consists of steps that are carried out by themselves.
  virtual bool has_steps() const { return false; }
  /// Of a part whose numbers may not suit the device, so that such parts may leave it alone for a
  /// while (JobBackoff); nothing: any numbers suit it.
  virtual std::optional<JobKind> kind_of_numbers() const { return std::nullopt; }
  /// What the device's part launches. Valid until the plan changes.
  virtual const Launches& launches() = 0;
  /// What the call's times are compared with; nothing: nothing is to be learned.
  virtual std::optional<Forecast> forecast() const { return plan.forecast; }

  /// What it has of the device, until it is carried out. Steps of the call use that, too.
  virtual void has(Admission&) {}
  /// The CPU does all of it, on plan.cpu. \throws CpuBlasError.
  virtual void run_alone(CpuSide& cpu) = 0;

  /// Enqueues the device's part and flushes. \throws DeviceError.
  virtual void start(GpuSide& gpu) = 0;
  /// The CPU's part. \throws CpuBlasError.
  virtual void run_beside(CpuSide& cpu) = 0;
  /// Waits for the device's part. \throws DeviceError.
  virtual void wait() = 0;
  /// `now`: seconds since start(), if the device does not tell.
  virtual GpuJobTimes times(double now) const = 0;
  /// After start() or wait() has thrown: the CPU does what is missing.
  virtual void finish(CpuSide& cpu) = 0;
  /// The CPU does all of the device's part.
  virtual void run_part(CpuSide& cpu) = 0;
  /// Waits for the device; nothing of the job and its check is kept.
  virtual void end() noexcept = 0;

  /// Begins a check of the device's part, if one is due and memory suffices. Before start().
  virtual void begin_check(ResultChecks& checks, GpuSide& gpu, Manner manner) noexcept = 0;
  bool is_checked() const { return check_ != nullptr; }
  /// The part of a check that may run beside the device.
  virtual void check_ahead() noexcept;
  /// `done`: wait() returned. If it throws for want of memory, there is no result.
  virtual PartCheck check(bool done);
  /// In words, what check() found wrong. \throws std::bad_alloc.
  virtual std::string describe(const PartCheck& checked) const {
    return check_->describe(*checked.result->verdict.wrong);
  }
  /// Copies results that are kept apart to the caller's memory.
  virtual void publish() {}
  /// Gives the device's part the values that it had, as far as they are needed.
  virtual void undo() noexcept { check_->restore(); }

  /// Records the result of the device's part, with a check or without. Returns the number of right
  /// results that are to be kept as evidence(); else 0.
  virtual std::uint64_t count(ResultChecks&, const HybridOutcome&) noexcept { return 0; }
  /// Keeps that for later processes, in the background; null: such calls do not. \throws
  /// std::bad_alloc.
  virtual std::function<void()> evidence(GpuSide&, std::uint64_t) const { return {}; }
  /// Its result was wrong. By default a kernel of products is to blame.
  virtual Suspect suspect(const ResultChecks& checks) const noexcept;
  /// Its kernels are not used any more. False: they were not used before either. \throws
  /// std::bad_alloc.
  virtual bool reject(GpuSide&, const std::string&) { return false; }
  /// Adds to the outcome what only such calls tell. \pre the job has ended.
  virtual void tell() {}

 protected:
  std::unique_ptr<ResultCheck> check_;  ///< that is due
  /// The check is a part of the call's times. Otherwise it runs after these were taken.
  bool check_is_timed_ = false;
};

}  // namespace duoblas

// A call of several steps whose order level3 or lapack decides, as a Call (device_updates.hpp).
// Either each step is a product or a job of level 3, and a Call of its own; or the device holds the
// matrix of a factorisation, and the steps make a job, whose result is checked as a whole.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/call.hpp"
#include "engine/device_updates.hpp"
#include "engine/held_device.hpp"

namespace duoblas {
namespace {

class SteppedCall final : public Call {
 public:
  using Steps = std::function<void(HeldDevice&)>;
  /// As Engine::carry_out(). `told.plan` is that of the call as a whole.
  SteppedCall(EngineState& state, Precision precision, const std::vector<CallStep>& launched,
              Steps&& steps, std::span<HeldJob> jobs, Outcome& told)
      : Call(told),
        state_(state),
        precision_(precision),
        launches_(launched),
        steps_(std::move(steps)),
        jobs_(jobs) {}

  Precision precision() const override { return precision_; }
  bool launches_plans_kernel() const override { return false; }
  bool has_steps() const override { return true; }
  bool is_job() const override { return !jobs_.empty(); }
  const Launches& launches() override { return launches_; }
  /// level3 and lapack learn of the whole call.
  std::optional<Forecast> forecast() const override { return {}; }
  void has(Admission& admission) override { admission_ = &admission; }
  void run_alone(CpuSide&) override { run_steps(); }
  void start(GpuSide&) override {}
  void run_beside(CpuSide&) override {
    run_steps();
    if (checked_ == nullptr || !checked_->is_done || checked_->has_result) return;
    check_->restore();
    checked_->again();
  }
  void wait() override {}
  GpuJobTimes times(double) const override { return {}; }
  /// The steps leave nothing to do.
  void finish(CpuSide&) override {}
  void run_part(CpuSide&) override { checked_->again(); }
  void end() noexcept override { check_.reset(); }
  /// Of the first job for which one is due: the steps do not go on with a result that is to be
  /// checked.
  void begin_check(ResultChecks& checks, GpuSide&, Manner) noexcept override {
    for (HeldJob& job : jobs_) {
      check_ = checks.begin(job.call.problem, job.call.plan.kernel);
      if (!check_) continue;
      checked_ = &job;
      return;
    }
  }
  PartCheck check(bool) override {
    if (checked_ == nullptr || !checked_->is_done || !checked_->has_result) return {};
    return Call::check(true);
  }
  std::uint64_t count(ResultChecks& checks, const HybridOutcome& did) noexcept override {
    HybridOutcome unchecked;
    unchecked.times = did.times;
    for (const HeldJob& job : jobs_)
      if (job.is_done && job.has_result)
        checks.ended(job.call.problem, job.call.plan.kernel, &job == checked_ ? did : unchecked);
    return 0;
  }
  Suspect suspect(const ResultChecks& checks) const noexcept override {
    Suspect suspect;
    const LapackProblem& p = checked_->call.problem;
    std::snprintf(suspect.call, sizeof suspect.call, "%c%s", letter(p.precision), name(p.routine));
    suspect.with = " with the matrix";
    suspect.results = "such calls";
    suspect.instead = "such calls are done product by product from now on";
    suspect.unchecked = checks.unchecked_jobs();
    return suspect;
  }
  /// What the device won in a factorisation, only lapack can tell.
  void tell() override {
    outcome.products = did_.products;
    outcome.check_seconds += did_.check_seconds;
    outcome.check_in_times |= did_.check_in_times;
    outcome.job_times = did_.job_times;
    if (did_.times.cpu > 0) outcome.times.cpu = did_.times.cpu;
    outcome.seconds_won = did_.seconds_won;
    if (outcome.recovered) return;  // its result was wrong
    outcome.used_gpu = did_.used_gpu;
    outcome.recovered = did_.recovered;
    outcome.was_declined = did_.was_declined;
  }

 private:
  void run_steps() {
    did_.plan = std::move(plan);
    const bool is_first_checked = checked_ != nullptr && checked_ == jobs_.data();
    HeldDevice device(state_, *admission_, is_first_checked, did_);
    steps_(device);
    plan = std::move(did_.plan);
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].is_done = i < device.jobs_done();
  }

  EngineState& state_;
  const Precision precision_;
  const Launches launches_;
  const Steps steps_;
  const std::span<HeldJob> jobs_;
  Admission* admission_ = nullptr;
  Outcome did_;  ///< of the steps: all but its times
  HeldJob* checked_ = nullptr;
};

}  // namespace

Outcome Engine::carry_out(Precision precision, const std::vector<CallStep>& launched, Plan&& plan,
                          const Level3Steps& steps) {
  Outcome outcome;
  outcome.plan = std::move(plan);
  SteppedCall call(*state_, precision, launched, std::cref(steps), {}, outcome);
  state_->carry_out(call, Manner::decided);
  return outcome;
}

Outcome Engine::carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps,
                          std::span<HeldJob> jobs) {
  const PlannedProduct& first = kernels.front();
  const std::vector<CallStep> launched(kernels.begin(), kernels.end());
  Outcome outcome;
  outcome.plan = first.plan;
  SteppedCall call(*state_, first.problem.precision, launched, std::cref(steps), jobs, outcome);
  state_->carry_out(call, Manner::decided);
  return outcome;
}

}  // namespace duoblas

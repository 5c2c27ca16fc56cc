#include "engine/stepped_call.hpp"

#include <cstddef>
#include <cstdio>

#include "engine/held_device.hpp"

namespace duoblas {

SteppedCall::SteppedCall(EngineState& state, const std::vector<PlannedProduct>& kernels,
                         const DeviceSteps& steps, std::span<HeldJob> jobs, Outcome& told)
    : Call(told),
      state_(state),
      precision_(kernels.front().problem.precision),
      kernels_(kernels.begin(), kernels.end()),
      launches_(kernels_),
      steps_(steps),
      jobs_(jobs) {}

void SteppedCall::run_steps(GpuSide* gpu) {
  did_.plan.reason = plan.reason;
  const bool is_first_checked = checked_ != nullptr && checked_ == jobs_.data();
  HeldDevice device(state_, gpu, is_first_checked, did_);
  steps_(device);
  for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].is_done = i < device.jobs_done();
}

void SteppedCall::run_alone(CpuSide&) {
  run_steps(nullptr);
  outcome.products = did_.products;
}

void SteppedCall::run_beside(CpuSide&) {
  run_steps(gpu_);
  if (checked_ == nullptr || !checked_->is_done || checked_->has_result) return;
  check_->restore();
  checked_->again();
}

// Of the first job for which one is due: the steps do not go on with a result that is to be
// checked.
void SteppedCall::begin_check(ResultChecks& checks, GpuSide&, Manner) noexcept {
  for (HeldJob& job : jobs_) {
    check_ = checks.begin(job.call.problem, job.call.plan.kernel);
    if (!check_) continue;
    checked_ = &job;
    return;
  }
}

PartCheck SteppedCall::check(bool) {
  if (checked_ == nullptr || !checked_->is_done || !checked_->has_result) return {};
  return Call::check(true);
}

std::uint64_t SteppedCall::count(ResultChecks& checks, const HybridOutcome& did) noexcept {
  HybridOutcome unchecked;
  unchecked.times = did.times;
  for (const HeldJob& job : jobs_)
    if (job.is_done && job.has_result)
      checks.ended(job.call.problem, job.call.plan.kernel, &job == checked_ ? did : unchecked);
  return 0;
}

Suspect SteppedCall::suspect(const ResultChecks& checks) const noexcept {
  Suspect suspect;
  const LapackProblem& p = checked_->call.problem;
  std::snprintf(suspect.call, sizeof suspect.call, "%c%s", letter(p.precision), name(p.routine));
  suspect.with = " with the matrix";
  suspect.results = "such calls";
  suspect.instead = "such calls are done product by product from now on";
  suspect.unchecked = checks.unchecked_jobs();
  return suspect;
}

// What the device won, only lapack can tell.
void SteppedCall::tell() {
  outcome.products = did_.products;
  outcome.check_seconds += did_.check_seconds;
  outcome.check_in_times |= did_.check_in_times;
  outcome.seconds_won.reset();
  if (outcome.recovered) return;  // its result was wrong
  outcome.used_gpu = did_.used_gpu;
  outcome.recovered = did_.recovered;
  outcome.was_declined = did_.was_declined;
  plan.reason = did_.plan.reason;
}

Outcome Engine::carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps,
                          std::span<HeldJob> jobs) {
  Outcome outcome;
  outcome.plan = kernels.front().plan;
  SteppedCall call(*state_, kernels, steps, jobs, outcome);
  state_->carry_out(call, Manner::decided);
  return outcome;
}

}  // namespace duoblas

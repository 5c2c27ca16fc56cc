#include "engine/held_device.hpp"

#include <exception>
#include <new>
#include <utility>

#include "engine/level3_call.hpp"
#include "gpu/device/opened_device.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

std::unique_ptr<FactorsOnDevice> HeldDevice::hold(const DeviceFactorisation& call) {
  ++did_.products;
  KernelParams kernel = call.plan.kernel;
  if (gpu_ == nullptr || !finds_launchable(*gpu_, kernel, call.problem.precision) ||
      !goes_on_with(call))
    return nullptr;
  const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
  try {
    return make_factors(gpu_->device(), call.problem, kernel, call.width);
  } catch (const std::exception&) {
    failed();
  }
  return nullptr;
}

bool HeldDevice::goes_on_with(const DeviceFactorisation& call) {
  job_ = call.problem;
  if (!state_.jobs.backoff().rests(job_)) return true;
  did_.plan.reason = Reason::such_jobs_failed;
  return false;
}

void HeldDevice::done() {
  ++jobs_done_;
  did_.used_gpu = true;
  state_.learning.device_has_run();
  state_.health.worked();
  state_.jobs.backoff().succeeded(job_);
}

// The device writes to memory of the rings.
void HeldDevice::failed() {
  HybridOutcome did;
  try {
    gpu_->device()->rethrow_drained(false);
  } catch (...) {
    note_failure_of_job(did);
  }
  did.c_is_out_of_reach = false;
  did.failed_after_submit = true;
  Outcome step;
  step.recovered = true;
  if (did.had_unsuited_numbers)
    state_.jobs.backoff().declined(job_);
  else
    state_.jobs.backoff().failed(job_);
  state_.health.note_failure(step, did);
  recover(step);
}

// The CPU goes on alone.
void HeldDevice::recover(const Outcome& step) {
  did_.recovered = true;
  did_.was_declined = step.was_declined;
  did_.plan.reason = step.plan.reason;
  gpu_ = nullptr;
}

// The plan with a kernel that is usable; nothing: the CPU does it.
std::optional<Plan> HeldDevice::plan_of(const GemmProblem& part, const Plan& wanted) noexcept try {
  if (gpu_ == nullptr) return std::nullopt;
  std::optional<Plan> plan(wanted);
  if (!finds_launchable(*gpu_, plan->kernel, part.precision)) plan.reset();
  if (plan && is_by_integers(plan->kernel) && state_.jobs.backoff().rests(part)) {
    if (!did_.used_gpu) did_.plan.reason = Reason::such_jobs_failed;
    plan.reset();
  }
  return plan;
} catch (const std::bad_alloc&) {
  return std::nullopt;
}

SideSeconds HeldDevice::carry_out(const GemmProblem& part, const Plan& wanted,
                                  const GemmProblem& written, const std::function<void()>& beside,
                                  OldResult* old_result) {
  ++did_.products;
  std::optional<Plan> plan = plan_of(part, wanted);
  if (!plan) {
    SideSeconds times;
    times.beside = seconds_of(beside);
    cpu_.run(part, wanted.cpu);
    return times;
  }
  GpuSide& gpu = *gpu_;
  Outcome step;
  step.plan = std::move(*plan);
  UpdateCall now({part, written}, step, &beside, old_result, false);
  now.begin_check(state_.checks, gpu, Manner::decided);
  is_part_checked_ = now.is_checked();
  device_has_part_ = true;
  const HybridOutcome did = on_both_sides(now, gpu, cpu_);
  is_part_checked_ = device_has_part_ = false;
  return conclude(gpu, now, did);
}

SideSeconds HeldDevice::conclude(GpuSide& gpu, UpdateCall& part, const HybridOutcome& did) {
  did_.check_seconds += did.check_seconds;
  did_.check_in_times |= did.check_in_times;
  state_.note_result(gpu, part, did);
  // The part before failed, and that was noted: this one says nothing new about the device.
  if (gpu_ == nullptr && !did.c_is_out_of_reach) return {};
  state_.settle(part, did);
  const Outcome& step = part.outcome;
  did_.used_gpu |= step.used_gpu;
  if (step.recovered) recover(step);
  SideSeconds times;
  times.beside = did.times.cpu;
  if (step.used_gpu) times.device = did.times.gpu;
  times.device_at_most = did.times.gpu_at_most;
  return times;
}

// The submission waits until the device is free, so a thread of our own makes it. While the part
// before is checked, this one waits for the verdict: the kernel may be wrong.
void HeldDevice::begin(const GemmProblem& part, const Plan& wanted, const GemmProblem& written,
                       OldResult* old_result) {
  later_ = {part, written};
  plan_of_later_ = &wanted;
  old_result_of_later_ = old_result;
  later_is_cpus_ = false;
  if (is_part_checked_) return;
  std::optional<Plan> plan = plan_of(part, wanted);
  later_is_cpus_ = !plan;
  if (!plan || !has_thread()) return;
  Ahead& ahead = ahead_.emplace(*gpu_);
  ahead.step.plan = std::move(*plan);
  ahead.call.emplace(later_, ahead.step, nullptr, old_result, device_has_part_);
  ahead.call->begin_check(state_.checks, ahead.gpu, Manner::decided);
  thread_->start([&ahead] {
    // Without a ForkGuard, which the submission makes.
    ahead.gpu.wait_for_job();
    ahead.job.emplace(*ahead.call, ahead.gpu);
  });
}

void HeldDevice::finish() {
  if (later_is_cpus_) {
    ++did_.products;
    cpu_.run(later_.gpu, plan_of_later_->cpu);
    return;
  }
  if (!ahead_) {
    carry_out(
        later_.gpu, *plan_of_later_, later_.cpu, [] {}, old_result_of_later_);
    return;
  }
  ++did_.products;
  thread_->finish();
  const Stopwatch rest;  // the part before counts until here
  HybridOutcome did = ahead_->job->complete(cpu_);
  did.times.whole = rest.seconds();
  ahead_->job.reset();
  conclude(ahead_->gpu, *ahead_->call, did);
  ahead_.reset();
}

Outcome HeldDevice::carry_out(const PlannedProduct& product) {
  Outcome step;
  step.products = 1;
  step.plan = product.plan;
  if (product.problem.empty()) return step;
  state_.carry_out(product.problem, step, {}, Manner::decided, admission_);
  return step;
}

Outcome HeldDevice::carry_out(const Level3Parts& parts) {
  Outcome step;
  step.plan = parts.plan;
  Level3Call call(parts, step);
  state_.carry_out(call, Manner::decided, admission_);
  return step;
}

bool HeldDevice::has_thread() noexcept try {
  if (!thread_) thread_.emplace();
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace duoblas

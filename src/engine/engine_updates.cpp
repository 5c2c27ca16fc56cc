// Calls of several products whose order the caller decides, and those that are one job.
#include <new>
#include <optional>
#include <utility>

#include "engine/engine_state.hpp"
#include "engine/guarded_job.hpp"
#include "engine/level3_call.hpp"
#include "engine/product_call.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/later_launches.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

namespace {

// What the steps of a call have of the device. After a failure they have none, and the CPU does
// the rest.
class HeldDevice final : public DeviceUpdates {
 public:
  HeldDevice(EngineState& state, CpuSide& cpu, GpuSide* gpu, Outcome& outcome)
      : state_(state), cpu_(cpu), gpu_(gpu), outcome_(outcome) {}

  bool has_device() const override { return gpu_ != nullptr; }

  std::unique_ptr<FactorsOnDevice> hold(const DeviceFactorisation& call) override {
    ++outcome_.products;
    const auto kernel = gpu_ != nullptr ? gpu_->launchable(call.plan.kernel, call.problem.precision)
                                        : std::optional<KernelParams>();
    if (!kernel || !goes_on_with(call)) return nullptr;
    const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
    try {
      return make_factors(gpu_->device(), call.problem, *kernel, call.width);
    } catch (const std::exception&) {
      failed();
    }
    return nullptr;
  }

  bool goes_on_with(const DeviceFactorisation& call) override {
    job_ = call.problem;
    if (!state_.jobs.backoff().rests(job_)) return true;
    outcome_.plan.reason = Reason::such_jobs_failed;
    return false;
  }

  void done() override {
    outcome_.used_gpu = true;
    state_.learning.device_has_run();
    state_.reopening.worked();
    state_.shortage.succeeded();
    state_.jobs.backoff().succeeded(job_);
    try {
      state_.say_trials(*gpu_);
    } catch (const std::bad_alloc&) {
      // The results are there: what is said of them must not make them a failure.
    }
  }

  // The device writes to memory of the rings.
  void failed() override {
    JobFailure failure;
    try {
      gpu_->device()->rethrow_drained(false);
    } catch (...) {
      failure.remember();
    }
    HybridOutcome did;
    did.gpu_hung = failure.hung();
    did.gpu_failure = failure.take();
    did.gpu_error_code = failure.error_code();
    did.failed_after_submit = true;
    Outcome step;
    step.recovered = true;
    if (failure.is_for_numbers())
      state_.jobs.backoff().declined(job_);
    else
      state_.jobs.backoff().failed(job_);
    state_.note_failure(step, did);
    recover(step);
  }

 private:
  // The CPU goes on alone.
  void recover(const Outcome& step) {
    outcome_.recovered = true;
    outcome_.was_declined = step.was_declined;
    outcome_.plan.reason = step.plan.reason;
    gpu_ = nullptr;
  }

  // The plan with a kernel that is usable; nothing: the CPU does it.
  std::optional<Plan> plan_of(const GemmProblem& part, const Plan& wanted) noexcept try {
    if (gpu_ == nullptr) return std::nullopt;
    const auto kernel = gpu_->launchable(wanted.kernel, part.precision);
    if (!kernel) return std::nullopt;
    std::optional<Plan> plan(wanted);
    plan->kernel = *kernel;
    return plan;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }

  SideSeconds carry_out(const GemmProblem& part, const Plan& wanted, const GemmProblem& written,
                        const std::function<void()>& beside, OldResult* old_result) override {
    ++outcome_.products;
    std::optional<Plan> plan = plan_of(part, wanted);
    if (!plan) {
      SideSeconds times;
      times.beside = seconds_of(beside);
      cpu_.run(part, wanted.cpu);
      return times;
    }
    GpuSide& gpu = *gpu_;
    UpdateCall now({part, written}, std::move(*plan), &beside, old_result, false);
    now.begin_check(state_.checks, gpu, Manner::decided);
    is_checked_ = now.is_checked();
    device_has_part_ = true;
    const HybridOutcome did = on_both_sides(now, gpu, cpu_);
    is_checked_ = device_has_part_ = false;
    return conclude(gpu, now, did);
  }

  SideSeconds conclude(GpuSide& gpu, UpdateCall& part, const HybridOutcome& did) {
    outcome_.check_seconds += did.check_seconds;
    outcome_.check_in_times |= did.check_in_times;
    state_.note_result(gpu, part, did);
    // The part before failed, and that was noted: this one says nothing new about the device.
    if (gpu_ == nullptr && !did.c_is_out_of_reach) return {};
    Outcome step;
    step.plan = std::move(part.plan);
    step.used_gpu = did.gpu_failure.empty();
    step.recovered = !step.used_gpu;
    if (step.used_gpu) state_.learning.device_has_run();
    state_.note_failure(step, did);
    outcome_.used_gpu |= step.used_gpu;
    if (step.recovered) recover(step);
    SideSeconds times;
    times.beside = did.times.cpu;
    if (step.used_gpu) times.device = did.times.gpu;
    times.device_at_most = did.times.gpu_at_most;
    return times;
  }

  // The submission waits until the device is free, so a thread of our own makes it. While the part
  // before is checked, this one waits for the verdict: the kernel may be wrong.
  void begin(const GemmProblem& part, const Plan& wanted, const GemmProblem& written,
             OldResult* old_result) override {
    later_ = {part, written};
    plan_of_later_ = &wanted;
    old_result_of_later_ = old_result;
    if (is_checked_) return;
    std::optional<Plan> plan = plan_of(part, wanted);
    if (!plan || !has_thread()) return;
    gpu_of_ahead_ = gpu_;
    ahead_.emplace(later_, std::move(*plan), nullptr, old_result, device_has_part_);
    ahead_->begin_check(state_.checks, *gpu_of_ahead_, Manner::decided);
    thread_->start([this] {
      // Without a ForkGuard, which the submission makes.
      gpu_of_ahead_->wait_for_job();
      job_ahead_.emplace(*ahead_, *gpu_of_ahead_);
    });
  }

  void finish() override {
    if (!ahead_) {
      carry_out(
          later_.gpu, *plan_of_later_, later_.cpu, [] {}, old_result_of_later_);
      return;
    }
    ++outcome_.products;
    thread_->finish();
    const Stopwatch rest;  // the part before counts until here
    HybridOutcome did = job_ahead_->complete(cpu_);
    did.times.whole = rest.seconds();
    job_ahead_.reset();
    conclude(*gpu_of_ahead_, *ahead_, did);
    ahead_.reset();
  }

  bool has_thread() noexcept try {
    if (!thread_) thread_.emplace();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  EngineState& state_;
  CpuSide& cpu_;
  GpuSide* gpu_;       ///< null: there is none now
  LapackProblem job_;  ///< that the device has
  Outcome& outcome_;
  bool device_has_part_ = false;  ///< it was given the part that is under way
  bool is_checked_ = false;       ///< that part
  // What begin() was told.
  PartitionedProblem later_;
  const Plan* plan_of_later_ = nullptr;
  OldResult* old_result_of_later_ = nullptr;
  std::optional<UpdateCall> ahead_;  ///< that part, if it does not wait for finish()
  std::optional<GuardedJob> job_ahead_;
  GpuSide* gpu_of_ahead_ = nullptr;
  std::optional<LaterLaunches> thread_;  // ends before what it uses
};

}  // namespace

Outcome Engine::carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps) {
  Outcome outcome;
  outcome.plan = kernels.front().plan;
  EngineState::Admission admission =
      outcome.plan.uses_gpu() ? state_->admit(outcome.plan) : EngineState::Admission{};
  bool waits = false;
  if (admission.pass)  // all are asked, so that all are built
    for (const auto& [product, plan] : kernels)
      waits |= state_->readiness.waits(*admission.gpu, ProductLaunches(product, plan));
  if (waits) {
    outcome.plan.reason = Reason::kernels_building;
    admission.pass.reset();
  } else if (!admission.pass) {
    outcome.plan.reason = state_->in_child() ? Reason::forked_child : admission.why_not();
  }

  const Stopwatch watch;
  HeldDevice device(*state_, cpu(), admission.pass ? admission.gpu : nullptr, outcome);
  steps(device);
  outcome.times.whole = outcome.times.cpu = watch.seconds() - outcome.check_seconds;
  return outcome;
}

Outcome Engine::carry_out(const Level3Parts& parts) {
  Level3Call call(parts);
  return state_->carry_out(call, Manner::decided);
}

}  // namespace duoblas

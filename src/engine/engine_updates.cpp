// Calls of several products whose order the caller decides.
#include <cstdio>
#include <new>
#include <optional>
#include <utility>

#include "engine/engine_state.hpp"
#include "engine/hybrid_product.hpp"
#include "engine/job_failure.hpp"
#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/later_launches.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

void Engine::say(const LapackProblem& problem, const Decision& decision, const Outcome& outcome) {
  state_->logger.call(problem, decision, outcome);
}

LapackSelector& Engine::lapack_selector() {
  return state_->lapack_selector;
}

std::optional<FactorisationCheck> Engine::begin_check(const DeviceFactorisation& call) noexcept {
  return state_->checks.begin(call.problem, call.plan.kernel);
}

bool Engine::is_wrong(const DeviceFactorisation& call, FactorisationCheck* check,
                      Outcome& outcome) noexcept {
  HybridOutcome did;
  did.times = outcome.times;
  try {
    if (check != nullptr) {
      CheckVerdict verdict = check->compare();
      did.check = CheckedResult{std::move(verdict), check->seconds()};
    }
  } catch (const std::exception&) {
    // A check that finds no memory has no result.
  }
  if (check != nullptr) outcome.check_seconds += check->seconds();
  state_->checks.ended(call.problem, call.plan.kernel, did);
  if (!did.is_wrong()) return false;
  state_->wrong_job.store(true, std::memory_order_relaxed);
  outcome.used_gpu = false;
  outcome.recovered = true;
  try {
    did.gpu_failure = "its result is wrong: " + describe(*did.check->verdict.wrong, call.problem);
    state_->note_failure(outcome, did);
    char line[700];
    std::snprintf(line, sizeof line,
                  "%c%s with the matrix on %s: %.300s. The CPU computed it again, and such calls "
                  "are done product by product from now on. %llu earlier results of such calls in "
                  "this process were not checked and may be wrong (DUOBLAS_CHECK=always checks "
                  "every one)",
                  letter(call.problem.precision), name(call.problem.routine),
                  state_->machine.found()->gpu->info().name.c_str(), did.gpu_failure.c_str(),
                  static_cast<unsigned long long>(state_->checks.unchecked_jobs()));
    state_->logger.wrong_result(line);
  } catch (const std::bad_alloc&) {
    // The call is done again without a message.
  }
  return true;
}

bool Engine::takes_at_once(const DeviceFactorisation& call) const {
  const GpuSide* const side = opened_gpu();
  if (side == nullptr || state_->wrong_job.load(std::memory_order_relaxed)) return false;
  const OpenedDevice& device = *side->device();
  if (is_double(call.problem.precision) && !device.context.device().info.has_fp64) return false;
  return device_bytes(call.problem, call.plan.kernel, call.width, device.free_limits()).has_value();
}

bool Engine::makes_panels(const DeviceFactorisation& call) const {
  const GpuSide* const side = opened_gpu();
  return side != nullptr && suits_panels(*side->device(), call.problem, call.width);
}

std::vector<PlannedProduct> Engine::products_of(const DeviceFactorisation& call) const {
  std::vector<PlannedProduct> products;
  for (const GemmProblem& product :
       products_by_kernel(call.problem, call.plan.kernel, call.width)) {
    PlannedProduct& planned = products.emplace_back(PlannedProduct{product, call.plan});
    planned.plan.gpu_extent = product.m;
    planned.plan.sharing = SharingMode::staged;
    planned.plan.kernel.inline_sizes = false;  // as MatrixOnDevice has it
  }
  return products;
}

// What the steps of a call have of the device. After a failure they have none, and the CPU does
// the rest.
class Engine::State::HeldDevice final : public DeviceUpdates {
 public:
  HeldDevice(State& state, CpuSide& cpu, GpuSide* gpu, Outcome& outcome)
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
    if (!state_.job_backoff.rests(job_)) return true;
    outcome_.plan.reason = Reason::such_jobs_failed;
    return false;
  }

  void done() override {
    outcome_.used_gpu = true;
    state_.gpu_has_run.store(true);
    state_.reopening.worked();
    state_.shortage.succeeded();
    state_.job_backoff.succeeded(job_);
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
      state_.job_backoff.declined(job_);
    else
      state_.job_backoff.failed(job_);
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

  // A part of the device, from its submission to its end.
  struct Part {
    Part(const PartitionedProblem& sides, Plan&& usable, ResultChecks& checks)
        : problems(sides),
          plan(std::move(usable)),
          check(checks.begin(problems.gpu, plan.kernel, false)) {}

    const PartitionedProblem problems;  ///< the part, and what the caller writes beside it
    Plan plan;                          ///< with a kernel that is usable
    std::optional<WantedCheck> check;
    std::optional<HybridProduct> product;  ///< submitted

    WantedCheck* wanted() { return check ? &*check : nullptr; }
  };

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
    Part now({part, written}, std::move(*plan), state_.checks);
    is_checked_ = now.check.has_value();
    device_has_part_ = true;
    const HybridOutcome did =
        hybrid_gemm(*gpu_, cpu_, now.problems, now.plan, beside, {}, now.wanted(), old_result);
    is_checked_ = device_has_part_ = false;
    return conclude(*gpu_, now, did);
  }

  SideSeconds conclude(GpuSide& gpu, Part& part, const HybridOutcome& did) {
    if (part.check && !part.check->beside && !did.check_in_times)
      outcome_.check_seconds += part.check->check.seconds();
    outcome_.check_in_times |= did.check_in_times;
    part.check.reset();
    try {
      state_.note_check(gpu, part.problems.gpu, part.plan, did);
      state_.say_trials(gpu);
    } catch (const std::bad_alloc&) {
      // The results are there: what is said of them must not make them a failure.
    }
    // The part before failed, and that was noted: this one says nothing new about the device.
    if (gpu_ == nullptr && !did.c_is_out_of_reach) return {};
    Outcome step;
    step.plan = std::move(part.plan);
    step.used_gpu = did.gpu_failure.empty();
    step.recovered = !step.used_gpu;
    if (step.used_gpu) state_.gpu_has_run.store(true);
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
    ahead_.emplace(later_, std::move(*plan), state_.checks);
    gpu_of_ahead_ = gpu_;
    thread_->start([this, behind_another = device_has_part_] {
      // Without a ForkGuard, which the submission makes.
      gpu_of_ahead_->wait_for_job();
      ahead_->product.emplace(*gpu_of_ahead_, ahead_->problems, ahead_->plan, ResidentOperands{},
                              ahead_->wanted(), behind_another, old_result_of_later_);
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
    HybridOutcome did = ahead_->product->complete(cpu_);
    did.times.whole = rest.seconds();
    conclude(*gpu_of_ahead_, *ahead_, did);
    ahead_.reset();
  }

  bool has_thread() noexcept try {
    if (!thread_) thread_.emplace();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  State& state_;
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
  std::optional<Part> ahead_;  ///< that part, if it does not wait for finish()
  GpuSide* gpu_of_ahead_ = nullptr;
  std::optional<LaterLaunches> thread_;  // ends before what it uses
};

Outcome Engine::carry_out(const std::vector<PlannedProduct>& kernels, const DeviceSteps& steps) {
  Outcome outcome;
  outcome.plan = kernels.front().plan;
  State::Admission admission = state_->admit(*this, outcome.plan);
  bool waits = false;
  if (admission.pass)  // all are asked, so that all are built
    for (const auto& [product, plan] : kernels)
      waits |= waits_for_trials(*admission.gpu, product, plan);
  if (waits) {
    outcome.plan.reason = Reason::kernels_building;
    admission.pass.reset();
  } else if (!admission.pass) {
    outcome.plan.reason = state_->in_child() ? Reason::forked_child : admission.why_not();
  }

  const Stopwatch watch;
  State::HeldDevice device(*state_, cpu(), admission.pass ? admission.gpu : nullptr, outcome);
  steps(device);
  outcome.times.whole = outcome.times.cpu = watch.seconds() - outcome.check_seconds;
  return outcome;
}

}  // namespace duoblas

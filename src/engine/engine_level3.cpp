// Level-3 calls that the device does as one job.
#include <algorithm>
#include <utility>

#include "cpu/fork_state.hpp"
#include "engine/engine_state.hpp"
#include "engine/job_failure.hpp"
#include "gpu/level3_job.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A job that cannot be started is one that did nothing.
class GuardedLevel3 {
 public:
  GuardedLevel3(GpuSide& gpu, const Level3Problem& part, const KernelParams& kernel) noexcept {
    const ActiveWork no_fork;  // a driver that builds a kernel may load it as a library
    try {
      job_.emplace(start_level3(gpu.device(), part, kernel, block_sizes(order(part))));
    } catch (...) {
      failure_.remember();
    }
  }

  bool join() noexcept {
    if (!job_) return false;
    try {
      job_->wait();
      return true;
    } catch (...) {
      failure_.remember();
      return false;
    }
  }

  bool submitted() const { return job_.has_value(); }
  Level3Progress progress() const { return job_ ? job_->progress() : Level3Progress{}; }
  double seconds() const { return job_ ? job_->seconds() : 0; }
  JobFailure& failure() { return failure_; }

 private:
  std::optional<Level3Job> job_;
  JobFailure failure_;
};

HybridOutcome on_both_sides(GpuSide& gpu, const Level3Parts& parts, const KernelParams& kernel) {
  HybridOutcome did;
  const Stopwatch watch;
  GuardedLevel3 job(gpu, parts.gpu, kernel);
  parts.beside();
  did.times.cpu = watch.seconds();
  const bool done = job.join();
  did.times.gpu = job.seconds();
  JobFailure& failure = job.failure();
  did.gpu_hung = failure.hung();
  did.c_is_out_of_reach = failure.may_write_c();
  if (!done && !did.c_is_out_of_reach) parts.rest(job.progress());
  did.times.whole = watch.seconds();
  did.gpu_failure = failure.take();
  did.gpu_error_code = failure.error_code();
  did.failed_after_submit = !done && job.submitted();
  return did;
}

}  // namespace

bool Engine::takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const {
  const Findings* findings = state_->in_child() ? nullptr : state_->machine.found();
  return findings != nullptr && findings->gpu != nullptr &&
         takes_level3(*findings->gpu->device(), problem, kernel, block_sizes(order(problem)));
}

Level3Ways& Engine::level3_ways() {
  return state_->level3_ways;
}

bool Engine::checks_next_level3() noexcept {
  constexpr std::uint64_t sampled_each = 64;
  const std::uint64_t number = state_->level3_calls.fetch_add(1, std::memory_order_relaxed);
  switch (state_->checks.mode()) {
    case CheckMode::off: return false;
    case CheckMode::sampled: return number % sampled_each == 0;
    case CheckMode::always: return true;
  }
  return true;
}

std::vector<PlannedProduct> Engine::products_of(const DeviceCall& call) const {
  std::vector<PlannedProduct> products;
  for (const GemmProblem& product :
       products_by_kernel(call.problem, call.plan.kernel, block_sizes(order(call.problem)))) {
    PlannedProduct& planned = products.emplace_back(product, call.plan);
    planned.plan.entry_rows = 0;
    planned.plan.axis = Axis::rows;
    planned.plan.gpu_extent = product.m;
    planned.plan.sharing = SharingMode::staged;
  }
  return products;
}

// All are asked, so that all are built.
bool Engine::waits_for_trials(GpuSide& gpu, const Level3Parts& parts) noexcept {
  return state_->waits_for_kernels([&] {
    bool waits = false;
    for (const auto& [product, plan] : products_of({parts.gpu, 0, parts.plan}))
      waits |=
          gpu.needs_trials(product, plan.kernel, plan.sharing) && !finds_kernels(product, plan);
    return waits;
  });
}

Outcome Engine::carry_out(const Level3Parts& parts) {
  Outcome outcome;
  outcome.plan = parts.plan;
  outcome.products = 1;
  Plan& plan = outcome.plan;
  State::Admission admission = state_->admit(*this, plan);
  auto& [gpu, pass, rests] = admission;
  std::optional<KernelParams> kernel;
  bool is_built = true;
  if (pass) {
    kernel = gpu->launchable(plan.kernel, parts.gpu.precision);
    if (kernel) plan.kernel = *kernel;
    is_built = kernel && !waits_for_trials(*gpu, {parts.gpu, plan, {}, {}});
  }
  if (pass && kernel && is_built) {
    const HybridOutcome did = on_both_sides(*gpu, parts, *kernel);
    state_->say_trials(*gpu);
    state_->settle(outcome, did);
    return outcome;
  }
  const Reason why = pass && !kernel  ? Reason::no_kernel_launches
                     : pass           ? Reason::kernels_building
                     : gpu == nullptr ? Reason::no_gpu_now
                     : rests          ? Reason::gpu_short_of_memory
                                      : Reason::gpu_busy;
  pass.reset();
  plan = state_->in_child() ? state_->child_plan()
                            : cpu_plan(state_->all_cores(parts.gpu.precision), why);
  const Stopwatch watch;
  parts.beside();
  parts.rest({});
  outcome.times.cpu = outcome.times.whole = watch.seconds();
  return outcome;
}

}  // namespace duoblas

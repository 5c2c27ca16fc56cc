// Level-3 calls that the device does as one job.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "engine/job_failure.hpp"
#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/level3/level3_job.hpp"
#include "memory/registered_memory.hpp"
#include "os/fork_state.hpp"
#include "problem/level3_rects.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

bool any_registered(const Level3Problem& p) {
  const auto registered = [](const HostRect& r) { return is_registered(r.data, r.span()); };
  return registered(rect_of_a(p)) || registered(rect_of_c(p)) ||
         (has_b(p.routine) && registered(rect_of_b(p)));
}

// A job that cannot be started counts as one that did nothing.
class GuardedLevel3 {
 public:
  GuardedLevel3(GpuSide& gpu, const Level3Parts& parts, const Plan& plan) noexcept {
    const ForkGuard no_fork;  // a driver that builds a kernel may load it as a library
    try {
      job_.emplace(start_level3(
          gpu.device(), parts.gpu, plan.kernel, block_sizes(parts.gpu, parts.in_place, plan.kernel),
          {parts.in_place, parts.of_host, plan.sharing == SharingMode::pinned}));
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
  Level3Times times() const { return job_ ? job_->times() : Level3Times{}; }
  JobFailure& failure() { return failure_; }

 private:
  std::optional<Level3Job> job_;
  JobFailure failure_;
};

// A check that finds no memory has no result.
std::optional<CheckedResult> compared(Level3Check& check) noexcept {
  try {
    CheckVerdict verdict = check.compare();
    return CheckedResult{std::move(verdict), check.seconds()};
  } catch (const std::exception&) {
    return {};
  }
}

std::string text_of(const WrongElement& wrong, const Level3Problem& part) noexcept try {
  return "its result is wrong: " + describe(wrong, part);
} catch (const std::bad_alloc&) {
  return "is wrong";  // short enough to need no memory
}

// `check`: of the device's part; null: none. The times do not include it.
HybridOutcome on_both_sides(GpuSide& gpu, const Level3Parts& parts, const Plan& plan,
                            Level3Check* check, Level3Times& times) {
  HybridOutcome did;
  const Stopwatch watch;
  GuardedLevel3 job(gpu, parts, plan);
  parts.beside();
  did.times.cpu = watch.seconds();
  const bool done = job.join();
  times = job.times();
  did.times.gpu = times.whole;
  JobFailure& failure = job.failure();
  did.gpu_hung = failure.hung();
  did.c_is_out_of_reach = failure.may_write_c();
  if (!done && !did.c_is_out_of_reach) parts.rest(job.progress());
  did.times.whole = watch.seconds();
  did.gpu_failure = failure.take();
  did.gpu_error_code = failure.error_code();
  did.failed_after_submit = !done && job.submitted();
  if (done && check != nullptr) did.check = compared(*check);
  if (did.is_wrong()) {
    check->restore_c();
    parts.rest({});
    did.gpu_failure = text_of(*did.check->verdict.wrong, parts.gpu);
    did.times.whole = watch.seconds();
  }
  return did;
}

}  // namespace

bool Engine::takes_at_once(const Level3Problem& problem, const KernelParams& kernel) const {
  const GpuSide* const side = opened_gpu();
  return side != nullptr && !state_->wrong_job.load(std::memory_order_relaxed) &&
         takes_level3(*side->device(), problem, kernel, block_sizes(order(problem)));
}

Level3Selector& Engine::level3_selector() {
  return state_->level3_selector;
}

// From now on jobs are not trusted, for any routine. Single products still are, because their own
// results are checked. The user must know, since not all earlier results were checked.
void Engine::State::note_check(GpuSide& gpu, const Level3Problem& part, const Plan& plan,
                               const HybridOutcome& did) {
  if (did.gpu_failure.empty() || did.is_wrong()) checks.ended(part, plan.kernel, did);
  if (!did.is_wrong()) return;
  wrong_job.store(true, std::memory_order_relaxed);
  char line[700];
  std::snprintf(
      line, sizeof line,
      "%c%s on %s as one job: %.300s. The CPU computed it again, and such calls are done by halves "
      "from now on. %llu earlier results of such jobs in this process were not checked and may be "
      "wrong (DUOBLAS_CHECK=always checks every one)",
      letter(part.precision), name(part.routine), gpu.info().name.c_str(), did.gpu_failure.c_str(),
      static_cast<unsigned long long>(checks.unchecked_jobs()));
  logger.wrong_result(line);
}

std::vector<PlannedProduct> Engine::products_of(const DeviceCall& call) const {
  std::vector<PlannedProduct> products;
  for (const GemmProblem& product : products_by_kernel(
           call.problem, call.plan.kernel,
           block_sizes(call.problem, call.in_place, call.plan.kernel), call.in_place)) {
    PlannedProduct& planned = products.emplace_back(PlannedProduct{product, call.plan});
    planned.plan.entry_rows = 0;
    planned.plan.axis = Axis::rows;
    planned.plan.gpu_extent = product.m;
    if (planned.plan.sharing == SharingMode::pinned) planned.plan.sharing = SharingMode::staged;
    planned.plan.kernel.inline_sizes = false;  // as PipelinedLevel3 has it
  }
  return products;
}

namespace {

// What cannot be built the host does.
bool need_trial(const GpuSide& gpu, const std::vector<TriedProgram>& programs) try {
  return std::ranges::any_of(programs, [&](const TriedProgram& tried) {
    return gpu.device()->kernels.needs_trial(tried);
  });
} catch (const DeviceError&) {
  return false;
}

}  // namespace

// All kernels are asked for, so that all are built.
bool Engine::waits_for_trials(GpuSide& gpu, const Level3Parts& parts) noexcept {
  return state_->waits_for_kernels([&] {
    bool waits = false;
    for (const auto& [product, plan] : products_of({parts.gpu, 0, parts.plan, parts.in_place}))
      waits |=
          gpu.needs_trials(product, plan.kernel, plan.sharing) && !finds_kernels(product, plan);
    std::vector<TriedProgram> programs =
        leaf_programs(*gpu.device(), parts.gpu,
                      block_sizes(parts.gpu, parts.in_place, parts.plan.kernel), parts.in_place);
    if (need_trial(gpu, programs)) {
      state_->build_programs(gpu, std::move(programs));
      waits = true;
    }
    return waits;
  });
}

Outcome Engine::carry_out(const Level3Parts& parts) {
  Outcome outcome;
  outcome.plan = parts.plan;
  outcome.products = 1;
  Plan& plan = outcome.plan;
  State::Admission admission = state_->admit(*this, plan);
  GpuSide* const gpu = admission.gpu;
  auto& pass = admission.pass;
  std::optional<KernelParams> kernel;
  bool is_built = true;
  // An earlier job was wrong, perhaps one of this call.
  const bool was_wrong = state_->wrong_job.load(std::memory_order_relaxed);
  if (was_wrong) pass.reset();
  if (pass) {
    kernel = gpu->launchable(plan.kernel, parts.gpu.precision);
    if (kernel) plan.kernel = *kernel;
    is_built = kernel && !waits_for_trials(*gpu, {parts.gpu, plan, {}, {}, parts.in_place, {}});
  }
  if (pass && kernel && is_built) {
    if (plan.sharing == SharingMode::staged && any_registered(parts.gpu))
      plan.sharing = SharingMode::pinned;
    std::optional<Level3Check> check = state_->checks.begin(parts.gpu, *kernel);
    const HybridOutcome did =
        on_both_sides(*gpu, parts, plan, check ? &*check : nullptr, outcome.job_times);
    if (check) outcome.check_seconds = check->seconds();
    check.reset();
    state_->note_check(*gpu, parts.gpu, plan, did);
    state_->say_trials(*gpu);
    state_->settle(outcome, did);
    return outcome;
  }
  const Reason why = was_wrong         ? Reason::gpu_was_wrong
                     : pass && !kernel ? Reason::no_kernel_launches
                     : pass            ? Reason::kernels_building
                                       : admission.why_not();
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

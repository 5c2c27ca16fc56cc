// Batches: who computes which of many products, and what that showed.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "engine/hybrid_batch.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// The parts of a call. Each part is computed in its own manner.
struct Sorted {
  BatchProblem alone;     ///< large products, each by both sides
  BatchProblem together;  ///< the others that multiply
  BatchProblem scaled;    ///< of these only C is scaled, by the CPU
};

Sorted sorted(const BatchProblem& batch) {
  Sorted all;
  all.alone.precision = all.together.precision = all.scaled.precision = batch.precision;
  for (const BatchGroup& group : batch.groups) {
    if (group.empty()) continue;
    BatchProblem& of = group.shape.only_scales_c()     ? all.scaled
                       : are_better_alone(group.shape) ? all.alone
                                                       : all.together;
    of.groups.push_back(group);
  }
  // A single product can be divided by its rows.
  if (all.together.count() == 1) {
    all.alone.groups.push_back(all.together.groups.front());
    all.together.groups.clear();
  }
  return all;
}

// Combines the outcomes of a call's parts. The plan is that of the part that took longest.
class WholeCall {
 public:
  void add(Outcome&& part) {
    Outcome& all = outcome_;
    if (is_first_ || part.times.whole > longest_) {
      longest_ = part.times.whole;
      all.plan = std::move(part.plan);
    }
    is_first_ = false;
    all.times.whole += part.times.whole;
    all.times.cpu += part.times.cpu;
    all.times.gpu += part.times.gpu;
    all.times.gpu_at_most = all.times.gpu_at_most || part.times.gpu_at_most;
    all.check_seconds += part.check_seconds;
    all.products += part.products;
    all.used_gpu = all.used_gpu || part.used_gpu;
    all.recovered = all.recovered || part.recovered;
    all.gpu_products += part.gpu_products;
    all.gpu_rows_of_one += part.gpu_rows_of_one;
    if (part.seconds_won) all.seconds_won = all.seconds_won.value_or(0) + *part.seconds_won;
  }
  Outcome take() { return std::move(outcome_); }

 private:
  Outcome outcome_;
  bool is_first_ = true;
  double longest_ = 0;
};

// The forecast for the first products of a batch.
Forecast of_entry(Forecast forecast, double part) {
  forecast.modelled[place_of(Timed::cpu_all)] *= part;
  return forecast;
}

}  // namespace

BatchPlan Engine::plan(const BatchProblem& batch) {
  const auto on_cpu = [](Plan&& plan) { return BatchPlan{std::move(plan), {}, 0}; };
  if (state_->in_child()) return on_cpu(state_->child_plan());
  const CpuConfig& cpu_all = state_->machine.cpu_all();
  const PlanRequest wanted = state_->request();
  if (wanted.strategy == Strategy::cpu) return on_cpu(cpu_plan(cpu_all, Reason::cpu_asked_for));
  if (wanted.strategy == Strategy::automatic && flops(batch) < DUOBLAS_SMALLEST_GPU_FLOPS)
    return on_cpu(cpu_plan(cpu_all, Reason::too_small));
  const PlanMachine& facts = state_->open().facts;
  const CpuConfig& cpu_of_type = facts.cpu_all_for(batch.precision);
  if (state_->gpu_is_unavailable()) return on_cpu(cpu_plan(cpu_of_type, state_->why_unavailable()));
  BatchPlan planned;
  if (!state_->adapts()) {
    planned = make_batch_plan(batch, facts, wanted);
  } else {
    if (!state_->has_recalled.load(std::memory_order_acquire)) recall();
    const Circumstances now = state_->learner.circumstances();
    const GemmProblem& shape = batch.largest()->shape;
    const CallKind kind = kind_of_batch(shape, flops(batch) / flops(shape), now);
    const LearnedTimes learned = state_->learned(kind, facts);
    planned = make_batch_plan(batch, facts, wanted, &learned);
    if (planned.plan.forecast) planned.plan.forecast->kind = kind;
  }
  if (!planned.uses_gpu()) return planned;
  const auto kernel = state_->open().gpu->launchable(
      batched_kernel(batch.largest()->shape, facts.device), batch.precision);
  if (!kernel) return on_cpu(cpu_plan(cpu_of_type, Reason::no_kernel_launches));
  planned.plan.kernel = *kernel;
  return planned;
}

bool Engine::waits_for_trials(GpuSide& gpu, const BatchProblem& part,
                              SharingMode sharing) noexcept {
  return state_->waits_for_kernels([&] {
    if (!gpu.needs_trials(part, sharing)) return false;
    // The caller's arrays of pointers are gone by then; only the shapes are read.
    BatchProblem shapes{part.precision, {}};
    for (const BatchGroup& group : part.groups) {
      BatchGroup& shape = shapes.groups.emplace_back();
      shape.shape = group.shape;
      shape.count = group.count;
    }
    state_->build_in_background(gpu, [shapes = std::move(shapes), sharing](GpuSide& side) {
      side.build_kernels(shapes, sharing);
      return side.has_kernels(shapes, sharing);
    });
    return true;
  });
}

Outcome Engine::compute(const BatchProblem& batch, const BatchPlan& planned) {
  Outcome outcome;
  outcome.plan = planned.plan;
  outcome.products = 1;
  Plan& plan = outcome.plan;
  const PartitionedBatch parts = partition(batch, planned.partition);
  State::Admission admission =
      planned.uses_gpu() ? state_->admit_to_gpu(*this, plan) : State::Admission{};
  GpuSide* const gpu = admission.gpu;
  const bool is_built = !admission.pass || !waits_for_trials(*gpu, parts.gpu, plan.sharing);
  if (!admission.pass || !is_built) {
    admission.pass.reset();
    if (state_->in_child()) {
      plan = state_->child_plan();
    } else if (plan.strategy != Strategy::cpu) {
      const Reason why = !is_built ? Reason::kernels_building : admission.why_not();
      plan = cpu_plan(machine().cpu_all_for(batch.precision), why);
    }
    const Stopwatch watch;
    cpu().run(batch, plan.cpu);
    const double seconds = watch.seconds();
    outcome.times = {0, seconds, seconds, false};
    return outcome;
  }
  std::optional<BatchCheck> check = state_->checks.begin(parts.gpu, plan.kernel);
  const bool checks_all = state_->checks.checks_all();
  const unsigned growths = gpu->memory_growths();
  const std::size_t built = gpu->built_kernels();
  const HybridOutcome did = hybrid_batch(*gpu, cpu(), parts, plan.sharing, plan.cpu,
                                         check ? &*check : nullptr, checks_all);
  if (check && !checks_all) outcome.check_seconds = check->seconds();
  check.reset();
  state_->note_check(*gpu, parts.gpu, plan, did);
  outcome.waited_for_memory = growths < most_growths && gpu->memory_growths() != growths;
  outcome.waited_for_kernels = gpu->built_kernels() != built;
  state_->say_trials(*gpu);
  state_->settle(outcome, did);
  if (outcome.used_gpu) {
    outcome.gpu_products = planned.partition.products;
    outcome.gpu_rows_of_one = planned.partition.rows;
  }
  return outcome;
}

Outcome Engine::compute_and_learn(const BatchProblem& batch, BatchPlan&& planned) {
  BatchProblem first = batch, others;
  if (planned.entry > 0) {
    PartitionedBatch parts = partition(batch, {planned.entry, 0});
    first = std::move(parts.gpu);
    others = std::move(parts.cpu);
  }
  const auto compute_others = [&](Outcome& outcome) {
    if (others.empty()) return;
    const Stopwatch watch;
    cpu().run(others, machine().cpu_all_for(batch.precision));
    outcome.times.cpu += watch.seconds();
    outcome.times.whole += watch.seconds();
  };
  if (!planned.plan.forecast) {
    Outcome outcome = compute(first, planned);
    compute_others(outcome);
    return outcome;
  }
  const double part = static_cast<double>(first.count()) / static_cast<double>(batch.count());
  const Forecast forecast = of_entry(*planned.plan.forecast, part);
  const Strategy decided = planned.plan.strategy;
  const double expected = planned.plan.expected_seconds;
  // Waiting for kernels, memory or threads is part of starting, and says nothing about later calls.
  bool starts = decided == Strategy::cpu ? !state_->cpu_alone_has_run.exchange(true)
                                         : !state_->gpu_has_run.load();
  bool beside_compiler = background_work_is_running();
  CallLearner::Scope scope(state_->learner);
  Outcome outcome = compute(first, planned);
  const CallTimes took = call_times(outcome);
  compute_others(outcome);
  beside_compiler = beside_compiler || background_work_is_running();
  const bool as_decided = outcome.plan.strategy == decided && !outcome.recovered;
  starts = starts || (outcome.waited_for_kernels && !beside_compiler);
  if (!as_decided || outcome.waited_for_memory || starts) return outcome;
  if (beside_compiler && expected > 0 && outcome.times.whole > expected)
    state_->learner.note_waiting(forecast, took.whole);
  else
    scope.note(forecast, took);
  return outcome;
}

Outcome Engine::run(const BatchProblem& batch) {
  WholeCall call;
  Sorted parts = sorted(batch);
  const std::int64_t products = batch.count();
  for (const BatchGroup& group : parts.alone.groups)
    for (std::int64_t i = 0; i < group.count; ++i) {
      const GemmProblem product = group.product(i);
      Outcome outcome = compute_and_learn(product, plan(product), {});
      const Plan& did = outcome.plan;
      if (outcome.used_gpu && did.strategy == Strategy::gpu) outcome.gpu_products = 1;
      if (outcome.used_gpu && did.strategy == Strategy::hybrid && did.axis == Axis::rows)
        outcome.gpu_rows_of_one = did.gpu_extent;
      call.add(std::move(outcome));
    }
  if (!parts.together.empty()) call.add(compute_and_learn(parts.together, plan(parts.together)));
  if (!parts.scaled.empty()) {
    const Stopwatch watch;
    Outcome outcome;
    outcome.plan = cpu_plan(state_->all_cores(batch.precision),
                            state_->in_child() ? Reason::forked_child : Reason::only_scales);
    cpu().run(parts.scaled, outcome.plan.cpu);
    outcome.times.cpu = outcome.times.whole = watch.seconds();
    call.add(std::move(outcome));
  }
  Outcome outcome = call.take();
  outcome.batch_products = products;
  if (!batch.empty()) state_->logger.call(batch, outcome);
  return outcome;
}

}  // namespace duoblas

// Batches: who computes which of many products, and what that showed.
#include "engine/batch_call.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/engine_state.hpp"
#include "engine/outcome.hpp"
#include "kernel_space/batched_kernels.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

BatchCall::BatchCall(const BatchProblem& batch, const BatchPartition& part, std::int64_t entry,
                     Outcome& told)
    : Call(told),
      partition_(part),
      uses_gpu_(plan.strategy != Strategy::cpu && (partition_.products > 0 || partition_.rows > 0)),
      launches_(parts_.gpu, plan) {
  if (entry > 0) {
    PartitionedBatch split = partition(batch, {entry, 0});
    first_ = std::move(split.gpu);
    others_ = std::move(split.cpu);
  } else {
    first_ = batch;
  }
  parts_ = partition(first_, partition_);
}

std::optional<Forecast> BatchCall::forecast() const {
  if (!plan.forecast || others_.empty()) return plan.forecast;
  const auto count = static_cast<double>(first_.count());
  Forecast forecast = *plan.forecast;
  forecast.modelled[place_of(Timed::cpu_all)] *=
      count / (count + static_cast<double>(others_.count()));
  return forecast;
}

void BatchCall::end() noexcept {
  job_ = {};
  check_.reset();
}

void BatchCall::begin_check(ResultChecks& checks, GpuSide&, Manner) noexcept {
  check_ = checks.begin(parts_.gpu, plan.kernel);
  check_is_timed_ = checks.checks_all();
}

void BatchCall::tell() {
  if (!outcome.used_gpu) return;
  outcome.gpu_products = partition_.products;
  outcome.gpu_rows_of_one = partition_.rows;
}

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

}  // namespace

Outcome Engine::run(const BatchProblem& batch) {
  Outcome all;
  double longest = -1;  // whose plan is the call's
  const auto add = [&](Outcome&& part) {
    all.times.whole += part.times.whole;
    all.times.cpu += part.times.cpu;
    all.times.gpu += part.times.gpu;
    all.times.gpu_at_most |= part.times.gpu_at_most;
    all.gpu_products += part.gpu_products;
    all.gpu_rows_of_one += part.gpu_rows_of_one;
    if (part.seconds_won) all.seconds_won = all.seconds_won.value_or(0) + *part.seconds_won;
    all.add_part(part);
    if (part.times.whole <= longest) return;
    longest = part.times.whole;
    all.plan = std::move(part.plan);
  };
  Sorted parts = sorted(batch);
  for (const BatchGroup& group : parts.alone.groups)
    for (std::int64_t i = 0; i < group.count; ++i) {
      const GemmProblem product = group.product(i);
      Outcome outcome = state_->carry_out(product, state_->plans.of(product), {}, Manner::decided);
      const Plan& did = outcome.plan;
      if (outcome.used_gpu && did.strategy == Strategy::gpu) outcome.gpu_products = 1;
      if (outcome.used_gpu && did.strategy == Strategy::hybrid && did.axis == Axis::rows)
        outcome.gpu_rows_of_one = did.gpu_extent;
      add(std::move(outcome));
    }
  if (!parts.together.empty()) {
    BatchPlan decided = state_->plans.of(parts.together);
    Outcome outcome;
    outcome.plan = std::move(decided.plan);
    BatchCall together(parts.together, decided.partition, decided.entry, outcome);
    state_->carry_out(together, Manner::decided);
    add(std::move(outcome));
  }
  if (!parts.scaled.empty()) {
    const Stopwatch watch;
    Outcome outcome;
    outcome.plan = cpu_plan(state_->all_cores(batch.precision),
                            state_->in_child() ? Reason::forked_child : Reason::only_scales);
    cpu().run(parts.scaled, outcome.plan.cpu);
    outcome.times.cpu = outcome.times.whole = watch.seconds();
    add(std::move(outcome));
  }
  all.batch_products = batch.count();
  if (!batch.empty()) state_->logger.call(batch, all);
  return all;
}

}  // namespace duoblas

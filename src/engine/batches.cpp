// Batches: products that are large, or whose caller asked for the device, are calls of gemm's, one
// after another. The CPU does all others together: a device would have each element for a few
// flops, which no device was seen to do faster (docs/experiments/calls.md).
#include <utility>

#include "cpu/batch_tasks.hpp"
#include "engine/engine_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

Reason why_on_cpu(const EngineState& engine, const BatchProblem& batch) {
  if (EngineState::in_child()) return Reason::forked_child;
  const BatchGroup* const most = batch.largest();
  if (most != nullptr && most->shape.only_scales_c()) return Reason::only_scales;
  return engine.plans.request().strategy == Strategy::cpu ? Reason::cpu_asked_for
                                                          : Reason::batch_together;
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
    all.gpu_products += part.used_gpu ? 1 : 0;
    if (part.seconds_won) all.seconds_won = all.seconds_won.value_or(0) + *part.seconds_won;
    all.add_part(part);
    if (part.times.whole <= longest) return;
    longest = part.times.whole;
    all.plan = std::move(part.plan);
  };
  all.batch_products = batch.count();
  const bool each = all.batch_products == 1 || plans().insists_on_gpu();
  BatchProblem together{batch.precision, {}};
  for (const BatchGroup& group : batch.groups) {
    if (group.empty()) continue;
    if (group.shape.only_scales_c() || !(each || flops(group.shape) >= flops_worth_sharing)) {
      together.groups.push_back(group);
      continue;
    }
    for (std::int64_t i = 0; i < group.count; ++i) {
      const GemmProblem product = group.product(i);
      add(state_->carry_out(product, state_->plans.exact(product), {}, Manner::decided));
    }
  }
  if (!together.empty()) {
    Outcome outcome;
    const CallLearner::Scope takes_all_cores(state_->learning.learner());
    outcome.plan = cpu_plan(state_->all_cores(batch.precision), why_on_cpu(*state_, together));
    const Stopwatch watch;
    cpu().run(together, outcome.plan.cpu);
    outcome.times.cpu = outcome.times.whole = watch.seconds();
    add(std::move(outcome));
  }
  if (!batch.empty()) state_->logger.call(batch, all);
  return all;
}

}  // namespace duoblas

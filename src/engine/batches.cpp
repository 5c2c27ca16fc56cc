// Batches: products that are large, or whose caller asked for the device, are calls of gemm's, one
// after another. The CPU does all others together: a device would have each element for a few
// flops, which no device was seen to do faster (docs/experiments/calls.md).
#include <utility>

#include "engine/engine_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// From n = 512 on all threads do one product as fast as each of them one.
bool is_large(const GemmProblem& shape) {
  return flops(shape) >= 2.0 * 512 * 512 * 512;
}

Reason why_on_cpu(const EngineState& engine, const BatchProblem& batch) {
  if (EngineState::in_child()) return Reason::forked_child;
  const BatchGroup* const most = batch.largest();
  if (most != nullptr && most->shape.only_scales_c()) return Reason::only_scales;
  return engine.plans.request().strategy == Strategy::cpu ? Reason::cpu_asked_for
                                                          : Reason::too_small;
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
    if (group.shape.only_scales_c() || !(each || is_large(group.shape))) {
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

#include "planner/stream_plan.hpp"

#include <algorithm>
#include <cmath>

#include "planner/call_estimate.hpp"
#include "planner/strategy_choice.hpp"

namespace duoblas {
namespace {

// The times of a call, by the time model and by what calls showed.
class StreamTimes {
 public:
  StreamTimes(const StreamCall& call, const StreamRates& rates, const LearnedTimes* learned)
      : call_(call), rates_(rates), learned_(learned) {}

  double modelled(Timed what, std::int64_t outputs) const {
    const double part = static_cast<double>(outputs) /
                        static_cast<double>(std::max<std::int64_t>(call_.outputs, 1));
    const double bytes = call_.bytes * part;
    switch (what) {
      case Timed::cpu_all: return bytes / rates_.cpu;
      case Timed::gpu_alone: return rates_.launch_seconds + bytes / rates_.gpu;
      case Timed::gpu_side: return rates_.launch_seconds + bytes / rates_.gpu_beside;
      case Timed::cpu_side: return bytes / rates_.cpu_beside;
    }
    return endless;
  }
  double seconds(Timed what, std::int64_t outputs) const {
    const double factor = learned_ == nullptr ? 1 : std::exp(learned_->of(what).mean);
    return factor * modelled(what, outputs);
  }
  double shared(std::int64_t gpu_outputs) const {
    if (gpu_outputs <= 0 || gpu_outputs >= call_.outputs) return endless;
    return std::max(seconds(Timed::gpu_side, gpu_outputs),
                    seconds(Timed::cpu_side, call_.outputs - gpu_outputs));
  }

 private:
  const StreamCall& call_;
  const StreamRates& rates_;
  const LearnedTimes* learned_;
};

std::int64_t outputs_of(const StreamCall& call, int parts) {
  return gpu_extent(call.outputs, {parts, finest_share_parts}, call.unit);
}

int balanced_parts(const StreamCall& call, const StreamTimes& times) {
  int best = 0;
  double least = endless;
  for (int parts = 1; parts < finest_share_parts; ++parts) {
    const double seconds = times.shared(outputs_of(call, parts));
    if (seconds < least) {
      least = seconds;
      best = parts;
    }
  }
  return best;
}

Forecast forecast_of(const StreamTimes& times, const StreamCall& call, std::int64_t gpu_outputs) {
  Forecast forecast;
  const auto set = [&](Timed what, std::int64_t outputs) {
    forecast.modelled[place_of(what)] = times.modelled(what, outputs);
  };
  set(Timed::cpu_all, call.outputs);
  if (gpu_outputs == call.outputs) {
    set(Timed::gpu_alone, gpu_outputs);
  } else if (gpu_outputs > 0) {
    set(Timed::gpu_side, gpu_outputs);
    set(Timed::cpu_side, call.outputs - gpu_outputs);
  }
  return forecast;
}

Plan plan_of(Strategy strategy, std::int64_t gpu_outputs, const StreamCall& call,
             const PlanMachine& machine, Reason reason) {
  if (strategy == Strategy::cpu || gpu_outputs == 0)
    return cpu_plan(machine.cpu_all_for(call.precision), reason);
  Plan plan;
  plan.strategy = gpu_outputs == call.outputs ? Strategy::gpu : Strategy::hybrid;
  plan.gpu_extent = gpu_outputs;
  plan.sharing = machine.sharing;
  plan.cpu = machine.cpu_for(call.precision);
  plan.reason = reason;
  return plan;
}

// The best strategy as far as is known, or one to explore.
StrategyChoice chosen(const StreamCall& call, const StreamTimes& times, const LearnedTimes& learned,
                      std::int64_t shared_outputs) {
  StrategyEstimates estimates{
      estimate_of_strategy(learned, Timed::cpu_all, times.seconds(Timed::cpu_all, call.outputs)),
      estimate_of_strategy(learned, Timed::gpu_alone,
                           times.seconds(Timed::gpu_alone, call.outputs)),
      estimate_of_both(learned, times.shared(shared_outputs))};
  if (call.device_copies) estimates.gpu.seconds = estimates.gpu.worst = endless;
  if (call.device_copies || call.device_has_it)
    estimates.both.seconds = estimates.both.worst = endless;
  return choose_strategy(estimates, worthwhile_if_long, 0, learned.allowance);
}

Plan automatic(const StreamCall& call, const PlanMachine& machine, const StreamTimes& times,
               const LearnedTimes& learned) {
  const int parts = balanced_parts(call, times);
  const std::int64_t shared_outputs = outputs_of(call, parts);
  const StrategyChoice choice = chosen(call, times, learned, shared_outputs);
  // A call that would begin small may take too long even as an exploration, because a part of it
  // would still need a launch.
  const bool to_cpu = choice.strategy == Strategy::cpu || choice.begins_small;
  const std::int64_t gpu_outputs = to_cpu                             ? 0
                                   : choice.strategy == Strategy::gpu ? call.outputs
                                                                      : shared_outputs;
  const Reason reason = to_cpu                             ? Reason::cpu_fastest
                        : choice.explores                  ? Reason::finding_out
                        : choice.strategy == Strategy::gpu ? Reason::gpu_fastest
                                                           : Reason::both_fastest;
  Plan plan = plan_of(to_cpu ? Strategy::cpu : choice.strategy, gpu_outputs, call, machine, reason);
  if (plan.strategy == Strategy::hybrid) plan.share = {parts, finest_share_parts};
  plan.cpu_only_seconds = times.seconds(Timed::cpu_all, call.outputs);
  plan.expected_seconds = to_cpu ? plan.cpu_only_seconds
                          : choice.strategy == Strategy::gpu
                              ? times.seconds(Timed::gpu_alone, call.outputs)
                              : times.shared(shared_outputs);
  plan.forecast = forecast_of(times, call, gpu_outputs);
  plan.forecast->best_seconds = choice.best_seconds;
  plan.forecast->explores = choice.explores && !choice.begins_small;
  plan.forecast->is_settled = choice.is_settled;
  if (choice.best != Strategy::cpu)
    plan.forecast->best = choice.best == Strategy::gpu ? Timed::gpu_alone : Timed::cpu_side;
  return plan;
}

}  // namespace

std::optional<Reason> why_never_stream(const PlanMachine& machine, Precision precision) {
  if (!machine.has_gpu) return machine.without_gpu;
  if (is_double(precision) && !machine.device.has_fp64) return Reason::no_double_precision;
  if (copies(machine.sharing)) return Reason::copies_take_longer;
  return std::nullopt;
}

double expected_stream_gain(const PlanMachine& machine, Precision precision,
                            const StreamRates& rates) {
  if (why_never_stream(machine, precision)) return 0;
  return std::max(0.0, 1 - rates.cpu / std::max(rates.gpu, rates.gpu_beside + rates.cpu_beside));
}

Plan stream_plan_at(const StreamCall& call, const PlanMachine& machine, const Share& share) {
  const std::int64_t gpu_outputs =
      share.gpu_parts == share.parts ? call.outputs : gpu_extent(call.outputs, share, call.unit);
  const Strategy strategy = gpu_outputs == 0 ? Strategy::cpu : Strategy::hybrid;
  Plan plan = plan_of(strategy, gpu_outputs, call, machine, Reason::as_told);
  plan.share = share;
  return plan;
}

StreamRates stream_rates(const StreamCall& call, const PlanMachine& machine) {
  if (!machine.is_tuned() || !machine.profile->memory.are_known()) return {};
  const MemoryRates& memory = machine.profile->memory;
  StreamRates rates;
  rates.cpu = memory.cpu_all;
  rates.gpu = call.device_has_it ? memory.gpu : memory.gpu_host;
  // If it was not measured, both sides together are assumed to get the bandwidth of the faster one.
  const double shared = std::max(memory.cpu, memory.gpu_host) / 2;
  rates.cpu_beside = memory.cpu_beside > 0 ? memory.cpu_beside : shared;
  rates.gpu_beside = memory.gpu_beside > 0 ? memory.gpu_beside : shared;
  rates.launch_seconds = memory.launch_seconds;
  rates.measured = true;
  return rates;
}

Plan make_stream_plan(const StreamCall& call, const PlanMachine& machine,
                      const PlanRequest& request, const StreamRates& rates,
                      const LearnedTimes* learned) {
  const auto on_cpu = [&](Reason reason) {
    return cpu_plan(machine.cpu_all_for(call.precision), reason);
  };
  if (request.strategy == Strategy::cpu) return on_cpu(Reason::cpu_asked_for);
  if (!machine.has_gpu) return on_cpu(machine.without_gpu);
  if (is_double(call.precision) && !machine.device.has_fp64)
    return on_cpu(Reason::no_double_precision);
  if (request.strategy == Strategy::gpu)
    return plan_of(Strategy::gpu, call.outputs, call, machine, Reason::gpu_asked_for);
  const StreamTimes times(call, rates, learned);
  if (request.split) {
    const std::int64_t gpu_outputs = forced_gpu_extent(call.outputs, *request.split);
    if (gpu_outputs == 0) return on_cpu(Reason::split_leaves_gpu_nothing);
    Plan plan = plan_of(Strategy::hybrid, gpu_outputs, call, machine, Reason::split_given);
    plan.share = *request.split;
    return plan;
  }
  if (request.strategy == Strategy::hybrid) {
    const int parts = std::max(1, balanced_parts(call, times));
    const std::int64_t gpu_outputs = std::max<std::int64_t>(1, outputs_of(call, parts));
    Plan plan =
        plan_of(Strategy::hybrid, gpu_outputs, call, machine,
                rates.measured ? Reason::both_asked_share_tuned : Reason::both_asked_untuned);
    plan.share = {parts, finest_share_parts};
    if (learned != nullptr) plan.forecast = forecast_of(times, call, gpu_outputs);
    return plan;
  }
  if (learned != nullptr) return automatic(call, machine, times, *learned);
  if (!rates.measured) return on_cpu(Reason::untuned);
  LearnedTimes measured = as_measured();
  measured.seen.fill(true);
  Plan plan = automatic(call, machine, times, measured);
  plan.forecast.reset();
  return plan;
}

}  // namespace duoblas

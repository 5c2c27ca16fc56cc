#include "planner/strategy_choice.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace duoblas {
namespace {

// Leaving a call to the CPU costs nothing and disturbs nobody. For short calls the gain must be
// larger: calls of 0.1 to 2.5 ms that had won 3 % in their trials took sixteen cores 1.07 to 1.24
// times the BLAS's time.
constexpr double worthwhile = 0.97, worthwhile_if_short = 0.9;
constexpr double short_call_seconds = 4e-3;

// A smaller gain is not explored.
constexpr double worth_exploring = 0.97;
// If it costs no more than this part of the budget, a strategy is explored once, however unlikely
// it is to be the best: between tuned shapes the time models of a host are sometimes wrong by a
// factor of 4 (151 x 223 x 133).
constexpr double cheap = 0.02;
// If it costs nothing, the CPU is tried once, provided that this part of its expected time would be
// the best. With a profile that was tuned on two busy cores, 13 of 40 products stayed on both
// sides, 7 to 48 % behind the CPU alone (bench_planner_regret --shapes 40 --calls 6).
constexpr double doubted = 0.75;

const StrategyEstimate& one_of(const StrategyEstimates& estimates, Strategy strategy) {
  if (strategy == Strategy::gpu) return estimates.gpu;
  return strategy == Strategy::hybrid ? estimates.both : estimates.cpu;
}

double at_best(const StrategyEstimate& strategy) {
  return strategy.seconds * std::exp(-strategy.spread);
}

}  // namespace

StrategyEstimate estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                                      double log_part) {
  seconds *= learned.excess_of(what);
  return {seconds,
          learned.of(what, log_part).spread,
          seconds * learned.worst_of(what),
          learned.has_seen(what),
          learned.exploration_seconds(what),
          0};
}

bool is_look_due(const LearnedTimes& learned, double both, double alone) {
  const bool is_seen = learned.has_seen(Timed::gpu_side) || learned.has_seen(Timed::cpu_side);
  if (!is_seen) {
    const double worst =
        both * std::max(learned.worst_of(Timed::gpu_side), learned.worst_of(Timed::cpu_side));
    return learned.has_seen_any() && worst - alone < for_explorations * learned.allowance;
  }
  const double paid = std::max(learned.exploration_seconds(Timed::gpu_side),
                               learned.exploration_seconds(Timed::cpu_side));
  return paid > 0 && both - alone < std::min(paid, learned.allowance);
}

double at_best_of_gpu(const LearnedTimes& learned, double alone) {
  const StrategyEstimate gpu = estimate_of_strategy(learned, Timed::gpu_alone, alone);
  constexpr double deviations = 2;
  return gpu.is_known() ? gpu.seconds : gpu.seconds * std::exp(-deviations * gpu.spread);
}

bool is_try_of_gpu_paid(const LearnedTimes& learned, double alone, double both) {
  const StrategyEstimate gpu = estimate_of_strategy(learned, Timed::gpu_alone, alone);
  return !gpu.is_known() && gpu.worst - both < for_explorations * learned.allowance;
}

StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance) {
  const bool shares = estimates.both.seconds <= (1 - sharing_gain) * estimates.gpu.seconds;
  const Strategy with_gpu = shares ? Strategy::hybrid : Strategy::gpu;
  const StrategyEstimate& device = one_of(estimates, with_gpu);
  if (estimates.cpu.is_known() && device.is_known())
    needed_gain = estimates.cpu.seconds < short_call_seconds ? worthwhile_if_short : worthwhile;
  StrategyChoice choice;
  if (device.seconds < needed_gain * estimates.cpu.seconds) choice.strategy = with_gpu;
  choice.best_seconds = one_of(estimates, choice.strategy).seconds;

  double looks_best = worth_exploring * choice.best_seconds;
  const Strategy best = choice.best = choice.strategy;
  // Beside threads that spin the GPU alone begins with a part of C.
  const Strategy begins = std::isinf(estimates.both.seconds) ? Strategy::gpu : Strategy::hybrid;
  for (const Strategy other : {Strategy::cpu, Strategy::gpu, Strategy::hybrid}) {
    const StrategyEstimate& strategy = one_of(estimates, other);
    const bool is_free = other == Strategy::cpu && estimates.cpu_costs_nothing && !strategy.seen;
    const bool is_cheap =
        !strategy.seen &&
        strategy.seconds + strategy.aftermath - choice.best_seconds <= cheap * allowance;
    const double seconds =
        is_free ? std::min(at_best(strategy), doubted * strategy.seconds) : at_best(strategy);
    const bool may_begin_small = best == Strategy::cpu && other == begins;
    // A part of C shows the GPU's time, alone or beside the CPU.
    const double for_another = std::min(
        may_begin_small
            ? std::max(estimates.gpu.exploration_seconds, estimates.both.exploration_seconds)
            : strategy.exploration_seconds,
        allowance);
    const bool is_due = strategy.worst <= choice.best_seconds + for_another ||
                        (may_begin_small && choice.best_seconds <= for_another);
    if (other == best || strategy.is_known() || !(is_cheap || is_due || seconds < looks_best))
      continue;
    if (estimates.is_first_call && !is_free) continue;
    const bool is_safe =
        is_free ||
        strategy.worst <= choice.best_seconds + std::max(for_another, for_explorations * allowance);
    if (!is_safe && (!may_begin_small || choice.explores)) continue;
    looks_best = std::min(looks_best, seconds);
    choice.strategy = other;
    choice.explores = true;
    choice.begins_small = !is_safe;
  }
  const StrategyEstimate& strategy = one_of(estimates, choice.strategy);
  choice.is_settled = !choice.explores && strategy.is_known();
  if (choice.explores || choice.strategy == Strategy::cpu) return choice;
  choice.begins_small = !strategy.is_known() && strategy.worst > estimates.cpu.seconds + allowance;
  return choice;
}

}  // namespace duoblas

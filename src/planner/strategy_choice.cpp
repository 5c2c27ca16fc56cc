#include "planner/strategy_choice.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "facts/rates.hpp"

namespace duoblas {
namespace {

const StrategyEstimate& one_of(const StrategyEstimates& estimates, Strategy strategy) {
  if (strategy == Strategy::gpu) return estimates.gpu;
  return strategy == Strategy::hybrid ? estimates.both : estimates.cpu;
}

double costs_of(const StrategyEstimate& other, double best) {
  return other.seconds - best;
}

// Whether calls may have lost what a try is expected to cost. What nobody has seen is tried at once
// where that costs next to nothing: between tuned shapes time models may be wrong by a factor of 4.
bool is_wanted(const StrategyEstimate& other, double best, double costs, double allowance) {
  const double next_to_nothing = other.seen ? 0 : UnseenSeconds::part * allowance;
  return !other.is_known() &&
         costs <= std::max({may_have_lost(other, best), other.unseen.for_look(), next_to_nothing});
}

// Whether the budget pays for a try. What was seen is expected to take as long again.
bool is_safe(const StrategyEstimate& other, double best, double allowance) {
  const double most = other.worst - best, costs = other.seen ? costs_of(other, best) : most;
  return most <= for_explorations * allowance ||
         costs <= std::min(other.unseen.for_look(), allowance);
}

}  // namespace

StrategyEstimate estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                                      double log_part) {
  seconds *= learned.excess_of(what);
  return {seconds, learned.of(what, log_part).spread, seconds * learned.worst_of(what),
          learned.has_seen(what), learned.unseen_of(what)};
}

StrategyEstimate estimate_of_both(const LearnedTimes& learned, double seconds, double log_gpu_part,
                                  double log_cpu_part) {
  StrategyEstimate both = estimate_of_strategy(learned, Timed::gpu_side, seconds, log_gpu_part);
  both.spread = std::max(both.spread, learned.of(Timed::cpu_side, log_cpu_part).spread);
  return both;
}

double may_have_lost(const StrategyEstimate& other, double best) {
  return other.unseen.lost(other.seconds * std::exp(-other.spread), best);
}

bool is_try_due(const StrategyEstimate& other, double best, double allowance) {
  return is_wanted(other, best, costs_of(other, best), allowance) &&
         is_safe(other, best, allowance);
}

StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance) {
  const bool shares = estimates.both.seconds <= (1 - sharing_gain) * estimates.gpu.seconds;
  const Strategy with_gpu = shares ? Strategy::hybrid : Strategy::gpu;
  const StrategyEstimate& device = one_of(estimates, with_gpu);
  if (estimates.cpu.is_known() && device.is_known())
    needed_gain =
        estimates.cpu.seconds < rates::long_beside_waking ? worthwhile : worthwhile_if_long;
  StrategyChoice choice;
  if (device.seconds < needed_gain * estimates.cpu.seconds) choice.strategy = with_gpu;
  choice.best_seconds = one_of(estimates, choice.strategy).seconds;
  choice.best = choice.strategy;
  const Strategy begins = std::isinf(estimates.both.seconds) ? Strategy::gpu : Strategy::hybrid;
  const double best = choice.best_seconds;
  double least = endless;
  for (const Strategy other : {Strategy::cpu, Strategy::gpu, Strategy::hybrid}) {
    const StrategyEstimate& strategy = one_of(estimates, other);
    const bool may_begin = choice.best == Strategy::cpu && other == begins && allowance > 0;
    const bool safe = is_safe(strategy, best, allowance);
    // A part of C costs at most what is allowed.
    const double costs = costs_of(strategy, best);
    if (other == choice.best || !(one_of(estimates, choice.best).seen || (may_begin && !safe)) ||
        !is_wanted(strategy, best, may_begin && !safe ? std::min(costs, allowance) : costs,
                   allowance))
      continue;
    if (!safe && (!may_begin || choice.explores)) continue;
    if (safe && strategy.seconds >= least) continue;
    if (safe) least = strategy.seconds;
    choice.strategy = other;
    choice.explores = true;
    choice.begins_small = !safe;
  }
  const StrategyEstimate& strategy = one_of(estimates, choice.strategy);
  choice.is_settled = !choice.explores && strategy.is_known();
  if (choice.explores || choice.strategy == Strategy::cpu) return choice;
  choice.begins_small = !strategy.is_known() && strategy.worst > estimates.cpu.seconds + allowance;
  return choice;
}

}  // namespace duoblas

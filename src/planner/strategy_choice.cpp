#include "planner/strategy_choice.hpp"

#include <algorithm>
#include <array>

#include "facts/rates.hpp"
#include "planner/way.hpp"

namespace duoblas {

Prospect estimate_of_strategy(const LearnedTimes& learned, Timed what, double seconds,
                              double log_part) {
  seconds *= learned.excess_of(what);
  return {seconds, learned.of(what, log_part).spread, seconds * learned.worst_of(what),
          learned.has_seen(what), learned.unseen_of(what)};
}

Prospect estimate_of_both(const LearnedTimes& learned, double seconds, double log_gpu_part,
                          double log_cpu_part) {
  Prospect both = estimate_of_strategy(learned, Timed::gpu_side, seconds, log_gpu_part);
  both.spread = std::max(both.spread, learned.of(Timed::cpu_side, log_cpu_part).spread);
  return both;
}

StrategyChoice choose_strategy(const StrategyEstimates& estimates, double needed_gain,
                               double sharing_gain, double allowance) {
  constexpr std::array strategies{Strategy::cpu, Strategy::gpu, Strategy::hybrid};
  std::array<Prospect, 3> ways{estimates.cpu, estimates.gpu, estimates.both};
  auto& [cpu, gpu, both] = ways;
  const bool shares = both.seconds <= (1 - sharing_gain) * gpu.seconds;
  Prospect& device = shares ? both : gpu;
  if (cpu.is_known() && device.is_known())
    needed_gain = cpu.seconds < rates::long_beside_waking ? worthwhile : worthwhile_if_long;
  gpu.handicap = both.handicap = endless;
  device.handicap = 1 / needed_gain;
  const TryBudget budget = budget_of(allowance);
  const Choice chosen = choose(ways, budget);
  const Prospect& best = ways[chosen.best];
  StrategyChoice choice;
  choice.strategy = strategies[chosen.way];
  choice.best = strategies[chosen.best];
  choice.best_seconds = best.seconds;
  choice.explores = chosen.way != chosen.best;
  // A part of C costs at most what is allowed.
  const Prospect& begins = std::isinf(both.seconds) ? gpu : both;
  if (!choice.explores && choice.best == Strategy::cpu && allowance > 0 &&
      !is_try_safe(begins, best.seconds, budget) &&
      is_try_wanted(begins, best.seconds, std::min(begins.seconds - best.seconds, allowance),
                    budget)) {
    choice.strategy = &begins == &gpu ? Strategy::gpu : Strategy::hybrid;
    choice.explores = choice.begins_small = true;
    return choice;
  }
  const Prospect& way = ways[chosen.way];
  choice.is_settled = !choice.explores && way.is_known();
  choice.begins_small = !choice.explores && choice.strategy != Strategy::cpu && !way.is_known() &&
                        way.worst > cpu.seconds + allowance;
  return choice;
}

}  // namespace duoblas

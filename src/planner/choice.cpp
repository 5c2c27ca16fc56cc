#include "planner/choice.hpp"

#include <algorithm>
#include <cmath>

#include "planner/learner.hpp"

namespace duoblas {

double may_have_lost(const Prospect& other, double best) {
  return other.unseen.lost(other.seconds * std::exp(-other.spread), best);
}

bool is_try_wanted(const Prospect& other, double best, double costs, const TryBudget& budget) {
  const bool is_known = other.is_known();
  if (is_known && !(other.looks_if_known && costs > 0)) return false;
  const double price = std::max(costs, other.lost);
  if (!is_known && other.calls * price <= may_have_lost(other, best)) return true;
  return other.may_look &&
         (price <= other.unseen.for_look() || (!other.seen && costs <= budget.at_once));
}

bool is_try_safe(const Prospect& other, double best, const TryBudget& budget) {
  const double most = other.worst - best, costs = other.seen ? other.seconds - best : most;
  return most <= for_explorations * budget.allowance ||
         costs <= std::min(other.unseen.for_look(), budget.allowance);
}

bool is_try_due(const Prospect& other, double best, const TryBudget& budget) {
  return is_try_wanted(other, best, other.seconds - best, budget) &&
         is_try_safe(other, best, budget);
}

Choice choose(std::span<const Prospect> ways, const TryBudget& budget) {
  const auto rank = [](const Prospect& one) { return one.seconds * one.handicap; };
  const auto best = std::ranges::min_element(ways, {}, rank);
  Choice choice;
  choice.best = choice.way = static_cast<std::size_t>(best - ways.begin());
  if (!best->seen) return choice;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const bool is_less = choice.way == choice.best || ways[i].seconds < ways[choice.way].seconds;
    if (i != choice.best && is_less && is_try_due(ways[i], best->seconds, budget)) choice.way = i;
  }
  return choice;
}

}  // namespace duoblas

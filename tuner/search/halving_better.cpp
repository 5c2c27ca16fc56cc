// Halving, phase 3: the kernel that is best alone may not be the best beside a CPU at work.
#include <algorithm>
#include <cmath>

#include "tuner/search/halving.hpp"

namespace duoblas {
namespace {

constexpr double better_part = 0.8;
constexpr double calls_per_kernel = 18;

}  // namespace

std::map<int, double> Halving::costs_together() const {
  std::map<int, double> costs;
  for (const auto& [trial, samples] : seen().all()) {
    if (trial.sides != Sides::both || !std::isfinite(seen().score(trial))) continue;
    const auto [place, first] = costs.try_emplace(trial.candidate.kernel, seen().score(trial));
    if (!first) place->second = std::min(place->second, seen().score(trial));
  }
  return costs;
}

std::map<int, double> Halving::costs_as_if_together() const {
  std::map<int, double> costs = costs_together();
  const std::map<int, double> by_itself = costs_alone();
  // What working together does to a kernel: like kernels suffer alike.
  std::map<int, double> ratios;
  for (const auto& [kernel, cost] : costs)
    if (by_itself.contains(kernel)) ratios[kernel] = cost / by_itself.at(kernel);
  if (ratios.empty()) return costs;
  const auto guesses = guess_.guess(ratios);
  for (const auto& [kernel, cost] : by_itself)
    costs.try_emplace(kernel, cost * std::exp(guesses[static_cast<std::size_t>(kernel)].log_cost));
  return costs;
}

Walk<void> Halving::look_for_better() {
  while (!ranking().empty()) {
    const double each = first_trials_seconds_ / static_cast<double>(tried_.size());
    if (!may_spend(each + calls_per_kernel * call_seconds(), better_part)) co_return;
    const Candidate best = ranking().front();
    const std::map<int, double> costs = costs_as_if_together();
    std::vector<Candidate> contenders(1, best);
    // Known alone, and not yet tried together.
    const std::map<int, double> together = costs_together();
    std::vector<std::pair<double, int>> waiting;
    for (const auto& [kernel, cost] : costs)
      if (!together.contains(kernel)) waiting.emplace_back(cost, kernel);
    std::ranges::sort(waiting);
    if (!waiting.empty() && waiting.front().first < score(best)) {
      Candidate contender = {waiting.front().second, best.sharing, best.cpu, 0};
      contender.gpu_parts = model_of(contender).best_share();
      contenders.push_back(contender);
    }
    for (const int kernel : promising(costs, 1, tried_))
      contenders.push_back({kernel, best.sharing, best.cpu, best.gpu_parts});
    if (contenders.size() == 1) co_return;
    co_await walk_valleys(std::move(contenders));
  }
}

}  // namespace duoblas

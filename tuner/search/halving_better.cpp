// Halving, phase 3: the kernel that is best alone may not be the best beside a CPU at work.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tuner/search/halving.hpp"

namespace duoblas {
namespace {

constexpr double better_part = 0.9;
constexpr double calls_per_kernel = 18;
// The spread among kernels of the slowdown beside a busy CPU, assumed until many were measured.
constexpr double contention_spread = 0.05;
// No kernel is expected to be better than predicted by more standard deviations.
constexpr double most_deviations = 4;

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

std::map<int, double> Halving::costs_as_if_together(double deviations) const {
  std::map<int, double> costs = costs_together();
  const std::map<int, double> by_itself = costs_alone();
  // The slowdown of each kernel beside a busy CPU. Similar kernels have similar ones.
  std::map<int, double> ratios;
  for (const auto& [kernel, cost] : costs)
    if (by_itself.contains(kernel)) ratios[kernel] = cost / by_itself.at(kernel);
  if (ratios.empty()) return costs;
  const auto predictions = surrogate_.predict(ratios, contention_spread);
  for (const auto& [kernel, cost] : by_itself) {
    const auto& prediction = predictions[static_cast<std::size_t>(kernel)];
    costs.try_emplace(kernel,
                      cost * std::exp(prediction.log_cost - deviations * prediction.deviation));
  }
  return costs;
}

Walk<void> Halving::look_for_better() {
  double deviations = 1;
  while (!ranking().empty()) {
    const double each = first_trials_seconds_ / static_cast<double>(tried_.size());
    if (!may_spend(each + calls_per_kernel * call_seconds(), better_part)) co_return;
    const Candidate best = ranking().front();
    std::vector<Candidate> contenders(1, best);
    // Kernels with a time alone and none beside the CPU.
    const std::map<int, double> together = costs_together();
    std::vector<std::pair<double, int>> waiting;
    for (const auto& [kernel, cost] : costs_as_if_together(deviations))
      if (!together.contains(kernel)) waiting.emplace_back(cost, kernel);
    std::ranges::sort(waiting);
    for (const auto& [cost, kernel] : waiting) {
      Candidate contender = {kernel, best.sharing, best.cpu, 0};
      contender.gpu_parts = model_of(contender).best_share();
      if (!(cost < score(best)) || contenders.size() > 1) break;
      // Its share may round to nothing.
      if (!seen().failed(both_trial(contender))) contenders.push_back(contender);
    }
    for (const int kernel : promising(costs_as_if_together(0), 1, tried_))
      contenders.push_back({kernel, best.sharing, best.cpu, best.gpu_parts});
    const int before = batches_;
    co_await walk_valleys(std::move(contenders));
    // If no likely kernel is left, or none could be measured, less likely ones are tried.
    if (batches_ == before && ++deviations > most_deviations) co_return;
  }
}

}  // namespace duoblas

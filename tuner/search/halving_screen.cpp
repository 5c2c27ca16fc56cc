// Halving, phase 1: which kernels are fast alone, seen in few builds.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tuner/search/halving.hpp"

namespace duoblas {
namespace {

// The part of the budget after which the screening ends. Most kernels are built here: what comes
// after it needs many samples but few kernels.
constexpr double screening_part = 0.3;
constexpr std::size_t batch_size = 3;
// One kernel of this many is drawn at random, because KernelSurrogate may predict wrongly.
constexpr std::size_t random_every = 6;
// A kernel is worth a try only if it may be faster than the best by this part.
constexpr double worth = 0.01;
// No kernel is assumed to be more standard deviations better than expected.
constexpr double surely = 4;

}  // namespace

Walk<void> Halving::screen() {
  while (!tried_.empty()) {
    const double each = first_trials_seconds_ / static_cast<double>(tried_.size());
    if (!may_spend(each, screening_part)) co_return;
    const std::size_t count = may_spend(batch_size * each, screening_part) ? batch_size : 1;
    const std::map<int, double> costs = costs_alone();
    const std::vector<int> kernels = promising(costs, static_cast<int>(count), tried_);
    if (kernels.empty()) co_return;
    std::vector<Trial> trials;
    for (const int kernel : kernels) trials.push_back(gpu_trial(kernel, sharing_));
    // The best so far is measured again beside them, because clocks drift.
    const auto best = std::ranges::min_element(costs, {}, &std::pair<const int, double>::second);
    if (best != costs.end()) trials.push_back(gpu_trial(best->first, sharing_));
    co_await run(std::move(trials), 2);
  }
}

std::map<int, double> Halving::costs_alone() const {
  std::map<int, double> costs;
  for (const int kernel : tried_)
    if (std::isfinite(alone(kernel))) costs[kernel] = alone(kernel);
  return costs;
}

std::vector<int> Halving::promising(std::map<int, double> costs, int count,
                                    const std::set<int>& out) {
  std::vector<int> open;
  for (int kernel = 0; kernel < static_cast<int>(space().kernels.size()); ++kernel)
    if (!out.contains(kernel)) open.push_back(kernel);
  std::vector<int> picked;
  while (std::ssize(picked) < count && !open.empty()) {
    auto pick = open.begin();
    if ((out.size() + picked.size()) % random_every == random_every - 1) {
      pick += random_below(static_cast<int>(open.size()));
    } else if (!costs.empty()) {
      const auto predictions = surrogate_.predict(costs);
      const auto hope = [&](int kernel, double deviations) {
        const auto& prediction = predictions[static_cast<std::size_t>(kernel)];
        return prediction.log_cost - deviations * prediction.deviation;
      };
      pick = std::ranges::min_element(open, {}, [&](int kernel) { return hope(kernel, 1); });
      double least = costs.begin()->second;
      for (const auto& [kernel, cost] : costs) least = std::min(least, cost);
      if (hope(*pick, surely) > std::log(least) - worth) break;
      // For the next pick, this one's guessed cost counts as measured. So that is a different kind
      // of kernel.
      costs[*pick] = std::exp(hope(*pick, 0));
    }
    picked.push_back(*pick);
    open.erase(pick);
  }
  return picked;
}

}  // namespace duoblas

#include "tuner/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/search/ranking.hpp"

namespace duoblas {
namespace {

constexpr std::size_t enough_samples = 3;
constexpr double infinite = std::numeric_limits<double>::infinity();

// The order of candidates: everyone's spread is the same machine's, so the typical one is taken.
void rank(std::vector<Ranked>& all, Goal goal) {
  std::vector<double> deviations;
  for (const Ranked& ranked : all)
    if (ranked.samples.size() >= enough_samples && std::isfinite(ranked.score))
      deviations.push_back(relative_deviation(ranked.samples, goal));
  const double deviation = typical(std::move(deviations));
  const auto key = [&](const Ranked& ranked) {
    return std::pair(ranked.samples.size() < enough_samples,
                     cautious_score(ranked.score, ranked.samples.size(), deviation));
  };
  std::ranges::sort(all, [&](const Ranked& x, const Ranked& y) {
    const auto key_x = key(x), key_y = key(y);
    return key_x != key_y ? key_x < key_y : x.candidate < y.candidate;
  });
}

class Tally {
 public:
  explicit Tally(Goal goal) : goal_(goal) {}

  /// Whether time was spent or anything learned.
  bool add(const Batch& batch, const std::vector<TrialOutcome>& outcomes) {
    bool moved = false;
    for (std::size_t i = 0; i < std::min(batch.trials.size(), outcomes.size()); ++i) {
      const TrialOutcome& outcome = outcomes[i];
      result.cost += outcome.cost;
      moved |= outcome.failed || outcome.cost > 0 || !outcome.samples.empty();
      if (outcome.failed || outcome.samples.empty()) continue;
      ++result.trials;
      if (batch.trials[i].sides == Sides::both) add_to(result.ranked, batch.trials[i], outcome);
      if (batch.trials[i].sides == Sides::gpu) add_to(result.alone, batch.trials[i], outcome);
    }
    rank(result.ranked, goal_);
    rank(result.alone, goal_);
    note_progress();
    return moved;
  }

  SearchResult result;

 private:
  void add_to(std::vector<Ranked>& list, const Trial& trial, const TrialOutcome& outcome) {
    const auto& candidate = normal_form(trial).candidate;
    auto found = std::ranges::find(list, candidate, &Ranked::candidate);
    if (found == list.end()) found = list.insert(list.end(), {candidate, {}, 0});
    found->samples.insert(found->samples.end(), outcome.samples.begin(), outcome.samples.end());
    found->score = score(found->samples, goal_);
  }

  void note_progress() {
    if (result.ranked.empty()) return;
    const double best = result.ranked.front().score;
    const double before = result.progress.empty() ? infinite : result.progress.back().score;
    if (best < before) result.progress.push_back({result.cost, best});
  }

  Goal goal_;
};

}  // namespace

SearchResult run_search(SearchStrategy& strategy, Evaluator& evaluator, const SearchTask& task,
                        const SearchWatcher& watcher) {
  Tally tally(task.goal);
  while (tally.result.cost < task.budget_seconds) {
    const Batch batch = strategy.next();
    if (batch.trials.empty()) break;
    const std::vector<TrialOutcome> outcomes = evaluator.measure(batch);
    strategy.report(batch, outcomes);
    const bool moved = tally.add(batch, outcomes);
    if (watcher) watcher(tally.result);
    if (!moved) break;
  }
  return std::move(tally.result);
}

}  // namespace duoblas

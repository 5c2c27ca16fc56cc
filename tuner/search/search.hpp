// A search from its start to its end: the loop, the budget, and the best so far.
#pragma once

#include <functional>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// A candidate of Sides::both and every sample of it so far.
struct Ranked {
  Candidate candidate;
  std::vector<CallSample> samples;
  double score = 0;
};

struct SearchResult {
  /// Best first, by the score of all samples plus its uncertainty, so that a few lucky samples do
  /// not make a candidate look fast. Those with fewer than three samples come last.
  std::vector<Ranked> ranked;
  /// Each kernel and sharing by itself (Sides::gpu), best first.
  std::vector<Ranked> alone;
  /// Cost so far and the best score so far, one entry per batch that improved it.
  struct Step {
    double cost = 0;
    double score = 0;
  };
  std::vector<Step> progress;
  double cost = 0;
  int trials = 0;
};

/// Called after each batch.
using SearchWatcher = std::function<void(const SearchResult&)>;

/// Asks the strategy until it has no more batches or the task's budget is spent. It also ends if a
/// whole batch cost nothing and gave nothing, which is the answer of an evaluator without time.
/// With a budget of 0 nothing is measured.
SearchResult run_search(SearchStrategy& strategy, Evaluator& evaluator, const SearchTask& task,
                        const SearchWatcher& watcher = {});

}  // namespace duoblas

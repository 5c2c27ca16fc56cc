// Searches that are played again, with what they asked for.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "simulation/replay.hpp"
#include "simulation/synthetic_machine.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

/// Plays a recording and keeps what was asked for.
class WatchedReplay : public Evaluator {
 public:
  WatchedReplay(const Recording& recording, unsigned seed) : replay_(recording, seed) {}

  std::vector<TrialOutcome> measure(const Batch& batch) override {
    std::vector<TrialOutcome> outcomes = replay_.measure(batch);
    last_batch_cost = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (failed_.contains(batch.trials[i])) asked_again = true;
      if (outcomes[i].failed) failed_.insert(batch.trials[i]);
      last_batch_cost += outcomes[i].cost;
      asked.push_back(batch.trials[i]);
    }
    return outcomes;
  }

  std::vector<Trial> asked;
  double last_batch_cost = 0;
  bool asked_again = false;  ///< for something that had failed

 private:
  Replay replay_;
  std::set<Trial> failed_;
};

struct Played {
  SearchResult result;
  std::vector<Trial> asked;
  double last_batch_cost = 0;
  bool asked_again = false;
};

inline Played play(const std::string& search, const Recording& recording, const SearchTask& task) {
  WatchedReplay replay(recording, task.seed);
  const auto strategy = make_search(search, task);
  Played played{run_search(*strategy, replay, task), {}, 0, false};
  played.asked = replay.asked;
  played.last_batch_cost = replay.last_batch_cost;
  played.asked_again = replay.asked_again;
  return played;
}

}  // namespace duoblas

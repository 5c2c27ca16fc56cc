// Made-up machines for the tests of searches, and an evaluator that watches what is asked for.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tuner/search/kernel_list.hpp"
#include "tuner/search/made_up_machine.hpp"
#include "tuner/search/search.hpp"

namespace duoblas {

inline DeviceLimits cpu_device_limits() {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.max_work_group_size = 4096;
  limits.max_allocation_bytes = std::size_t{1} << 32;
  limits.vector_bytes = 64;
  return limits;
}

inline std::vector<KernelParams> some_kernels(std::size_t count) {
  return search_kernels(Precision::s, Op::none, Op::none, cpu_device_limits(), count);
}

inline SearchTask task_for(const Recording& recording, double part_of_recorded, unsigned seed) {
  SearchTask task;
  task.space = recording.space;
  task.budget_seconds = part_of_recorded * recorded_seconds(recording);
  task.seed = seed;
  return task;
}

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

/// Time of the answer over that of the best candidate; infinite: there is no answer.
inline double answer_over_best(const Recording& recording, const SearchResult& result) {
  if (result.ranked.empty()) return std::numeric_limits<double>::infinity();
  return true_seconds(recording, result.ranked.front().candidate) / least_seconds(recording);
}

}  // namespace duoblas

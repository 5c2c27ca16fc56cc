#include "tuner/search/walking_strategy.hpp"

#include <utility>

namespace duoblas {

WalkingStrategy::WalkingStrategy(SearchTask task)
    : task_(std::move(task)), seen_(task_.goal), random_(task_.seed) {}

Batch WalkingStrategy::next() {
  if (!walk_) {
    walk_.emplace(walk());
    walk_->start();
  }
  if (!walk_->done()) return wanted_;
  walk_->result();
  return {};
}

void WalkingStrategy::report(const Batch& batch, const std::vector<TrialOutcome>& outcomes) {
  seen_.add(batch, outcomes);
  for (const TrialOutcome& outcome : outcomes) spent_ += outcome.cost;
  outcomes_ = outcomes;
  if (walk_ && !walk_->done()) waiting_.resume();
}

Walk<std::vector<TrialOutcome>> WalkingStrategy::measure(Batch batch) {
  const std::vector<Trial> asked = std::move(batch.trials);
  batch.trials.clear();
  for (const Trial& trial : asked)
    if (!seen_.failed(trial)) batch.trials.push_back(trial);
  std::vector<TrialOutcome> reported;
  if (!batch.trials.empty()) {
    wanted_ = batch;
    reported = co_await Report{*this};
  }
  std::vector<TrialOutcome> outcomes(asked.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (next < batch.trials.size() && batch.trials[next] == asked[i])
      outcomes[i] = reported.at(next++);
    else
      outcomes[i].failed = true;
  }
  co_return outcomes;
}

Walk<double> WalkingStrategy::score_of(Candidate candidate) {
  std::vector<Candidate> one(1, candidate);
  co_await measure_unknown(std::move(one));
  co_return score(candidate);
}

Walk<void> WalkingStrategy::measure_unknown(std::vector<Candidate> candidates) {
  Batch batch;
  for (const Candidate& candidate : candidates)
    if (!seen_.is_known(both_trial(candidate))) batch.trials.push_back(both_trial(candidate));
  if (!batch.trials.empty()) co_await measure(std::move(batch));
}

int WalkingStrategy::random_below(int count) {
  return static_cast<int>(random_() % static_cast<unsigned>(count));
}

std::optional<Candidate> WalkingStrategy::random_unknown() {
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  const auto draw = [&] {
    return Candidate{random_below(count(space().kernels)), random_below(count(space().sharings)),
                     random_below(count(space().cpus)), 1 + random_below(space().parts)};
  };
  // A few draws find one as long as most are unknown; then all are looked through.
  constexpr int few = 64;
  for (int i = 0; i < few; ++i)
    if (const Candidate c = draw(); !seen_.is_known(both_trial(c))) return c;
  std::vector<Candidate> unknown;
  for_each_candidate(space(), [&](const Candidate& c) {
    if (!seen_.is_known(both_trial(c))) unknown.push_back(c);
  });
  if (unknown.empty()) return std::nullopt;
  return unknown[static_cast<std::size_t>(random_below(count(unknown)))];
}

}  // namespace duoblas

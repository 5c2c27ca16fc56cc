// A strategy whose search is written as straight code (walk.hpp).
#pragma once

#include <coroutine>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tuner/search/observations.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/search/walk.hpp"

namespace duoblas {

class WalkingStrategy : public SearchStrategy {
 public:
  explicit WalkingStrategy(SearchTask task);
  Batch next() final;
  void report(const Batch& batch, const std::vector<TrialOutcome>& outcomes) final;

 protected:
  /// The search: ends when there is nothing more to measure.
  virtual Walk<void> walk() = 0;

  /// Measures a batch and gives its outcomes in order. What failed before is not asked for again:
  /// its outcome is `failed`. All samples are in seen() too.
  Walk<std::vector<TrialOutcome>> measure(Batch batch);
  /// The score of a candidate, which is measured three times if it was not yet.
  Walk<double> score_of(Candidate candidate);
  /// Measures those of these candidates that are not known yet, in one batch.
  Walk<void> measure_unknown(std::vector<Candidate> candidates);

  const SearchTask& task() const { return task_; }
  const SearchSpace& space() const { return task_.space; }
  const Observations& seen() const { return seen_; }
  double score(const Candidate& candidate) const { return seen_.score(both_trial(candidate)); }
  double spent() const { return spent_; }
  std::mt19937& random() { return random_; }
  /// From 0 to count - 1. \pre count > 0.
  int random_below(int count);
  /// Any candidate that is not known yet; nothing: all are.
  std::optional<Candidate> random_unknown();

 private:
  // Suspends the walk until outcomes are reported.
  struct Report {
    WalkingStrategy& strategy;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller) noexcept { strategy.waiting_ = caller; }
    std::vector<TrialOutcome> await_resume() { return std::move(strategy.outcomes_); }
  };

  SearchTask task_;
  Observations seen_;
  std::mt19937 random_;
  double spent_ = 0;
  Batch wanted_;
  std::vector<TrialOutcome> outcomes_;
  std::coroutine_handle<> waiting_;
  std::optional<Walk<void>> walk_;
};

}  // namespace duoblas

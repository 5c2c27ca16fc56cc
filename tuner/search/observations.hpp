// All outcomes that a strategy has got so far.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

class Observations {
 public:
  explicit Observations(Goal goal) : goal_(goal) {}

  void add(const Batch& batch, const std::vector<TrialOutcome>& outcomes);

  bool failed(const Trial& trial) const { return failed_.contains(trial); }
  /// It has samples, or will never have any.
  bool is_known(const Trial& trial) const { return failed(trial) || samples_.contains(trial); }
  /// Empty if it was not measured.
  const std::vector<CallSample>& samples(const Trial& trial) const;
  /// The score of all samples; infinite if there are none.
  double score(const Trial& trial) const { return duoblas::score(samples(trial), goal_); }
  /// The medians of all samples, each quantity by itself; zeros if there are none.
  CallSample medians(const Trial& trial) const;
  const std::map<Trial, std::vector<CallSample>>& all() const { return samples_; }

 private:
  Goal goal_;
  std::map<Trial, std::vector<CallSample>> samples_;
  std::set<Trial> failed_;
};

}  // namespace duoblas

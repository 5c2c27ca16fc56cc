#include "tuner/search/observations.hpp"

#include <algorithm>
#include <utility>

#include "timing/median.hpp"

namespace duoblas {

void Observations::add(const Batch& batch, const std::vector<TrialOutcome>& outcomes) {
  const std::size_t count = std::min(batch.trials.size(), outcomes.size());
  for (std::size_t i = 0; i < count; ++i) {
    const TrialOutcome& outcome = outcomes[i];
    if (outcome.failed) failed_.insert(batch.trials[i]);
    if (outcome.failed || outcome.samples.empty()) continue;
    auto& samples = samples_[batch.trials[i]];
    samples.insert(samples.end(), outcome.samples.begin(), outcome.samples.end());
  }
}

const std::vector<CallSample>& Observations::samples(const Trial& trial) const {
  static const std::vector<CallSample> none;
  const auto found = samples_.find(trial);
  return found == samples_.end() ? none : found->second;
}

CallSample Observations::medians(const Trial& trial) const {
  const std::vector<CallSample>& all = samples(trial);
  if (all.empty()) return {};
  const auto median = [&all](double CallSample::*field) {
    std::vector<double> values;
    for (const CallSample& sample : all) values.push_back(sample.*field);
    return upper_median(std::move(values));
  };
  return {median(&CallSample::whole), median(&CallSample::gpu), median(&CallSample::cpu),
          median(&CallSample::joules)};
}

}  // namespace duoblas

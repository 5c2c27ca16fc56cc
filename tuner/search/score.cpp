// The score of samples: the median of what the goal counts.
#include <limits>
#include <utility>
#include <vector>

#include "timing/median.hpp"
#include "tuner/search/strategy.hpp"

namespace duoblas {

double cost_of(const CallSample& sample, Goal goal) {
  return cost_of(sample.whole, sample.joules, goal);
}

double score(const std::vector<CallSample>& samples, Goal goal) {
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> values;
  for (const CallSample& sample : samples) values.push_back(cost_of(sample, goal));
  return median(std::move(values));
}

}  // namespace duoblas

#include <algorithm>
#include <limits>

#include "tuner/search/strategy.hpp"

namespace duoblas {
namespace {

double value(const CallSample& sample, Goal goal) {
  if (goal == Goal::throughput) return sample.whole;
  if (!(sample.joules > 0)) return std::numeric_limits<double>::infinity();
  return goal == Goal::energy ? sample.joules : sample.joules * sample.whole;
}

}  // namespace

double score(const std::vector<CallSample>& samples, Goal goal) {
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> values;
  for (const CallSample& sample : samples) values.push_back(value(sample, goal));
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace duoblas

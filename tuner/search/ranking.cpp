#include "tuner/search/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "timing/median.hpp"

namespace duoblas {

double typical(std::vector<double> values) {
  return values.empty() ? 0 : upper_median(std::move(values));
}

double relative_deviation(const std::vector<CallSample>& samples, Goal goal) {
  const double median = score(samples, goal);
  if (!std::isfinite(median)) return 0;
  std::vector<double> distances;
  for (const CallSample& sample : samples)
    distances.push_back(std::abs(score({sample}, goal) / median - 1));
  // Half of a normal distribution is within 1 / 1.48 standard deviations.
  return 1.48 * typical(std::move(distances));
}

double cautious_score(double score, std::size_t samples, double deviation) {
  return score *
         (1 + deviation / std::sqrt(static_cast<double>(std::max<std::size_t>(samples, 1))));
}

}  // namespace duoblas

// Orders measured candidates whose samples scatter, and of which some have more samples than
// others.
#pragma once

#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The standard deviation of one sample relative to the median of all. It is estimated from the
/// median distance, so that a few outliers do not matter. 0 if there are no samples.
double relative_deviation(const std::vector<CallSample>& samples, Goal goal);

/// The upper median; 0 if there are no values.
double typical(std::vector<double> values);

/// The score plus a standard error for this many samples: of equal candidates, the one with more
/// samples comes first.
double cautious_score(double score, std::size_t samples, double deviation);

}  // namespace duoblas

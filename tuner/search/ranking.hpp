// In which order measured things are, when their samples scatter and some have more than others.
#pragma once

#include <vector>

#include "tuner/search/strategy.hpp"

namespace duoblas {

/// The standard deviation of one sample's value relative to the median of all, estimated from the
/// median of the distances: a few samples far off do not matter. 0 where there are none.
double relative_deviation(const std::vector<CallSample>& samples, Goal goal);

/// The upper median; 0 where there are no values.
double typical(std::vector<double> values);

/// The score with a standard error of so many samples added: among equals, the one that was
/// measured more often comes first.
double cautious_score(double score, std::size_t samples, double deviation);

}  // namespace duoblas

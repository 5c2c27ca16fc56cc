// Measures how often a counter is updated.
#pragma once

#include <functional>

namespace duoblas::power {

/// The mean seconds between its first few updates, within `longest_seconds`. \throws SensorError if
/// it does not move: virtual machines may have counters without a source.
double seen_update_seconds(const std::function<double()>& counter, double longest_seconds);

}  // namespace duoblas::power

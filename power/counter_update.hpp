// How often a counter moves, seen by looking at it.
#pragma once

#include <functional>

namespace duoblas::power {

/// The mean seconds between its first few moves, within `longest_seconds` of looking. \throws
/// SensorError where it stands still: virtual machines may have counters that nothing moves.
double seen_update_seconds(const std::function<double()>& counter, double longest_seconds);

}  // namespace duoblas::power

// Limits on the memory rates in a profile's file.
#pragma once

namespace duoblas {

/// Bytes a second: far under and above any machine's.
inline constexpr double least_memory_rate = 1e6, most_memory_rate = 1e15;
/// Seconds.
inline constexpr double longest_launch = 1;

}  // namespace duoblas

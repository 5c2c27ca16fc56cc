// Tuned points and memory rates as words and numbers for people.
#pragma once

#include <string>
#include <vector>

#include "profile/memory_rates.hpp"
#include "profile/profile.hpp"

namespace duoblas::cli {

/// 10^9 operations a second of a point's product that takes `seconds` (a complex multiply-add
/// counts as eight); 0 if the time is not above 0, because it was not measured.
double gflops(const TunedPoint& point, double seconds);

/// "sgemm nn 1024 x 1024 x 1024".
std::string tuning_case_of(const TunedPoint& point);

/// "sgemm".
std::string product_name(Precision precision);

/// "33/64".
std::string share_text(const Share& share);

/// \pre the numbers are above 0. 0 if there are none.
double geometric_mean(const std::vector<double>& values);

/// GFLOPS with three significant digits or more; "-" for 0, what was not measured.
std::string rate_text(double gflops);

/// "device: its own memory 3012.4 GB/s, ...": a line per side and one for both, without line ends.
/// Says what was not measured. `with_device`: there is one.
std::vector<std::string> bandwidth_lines(const MemoryRates& rates, bool with_device);

}  // namespace duoblas::cli

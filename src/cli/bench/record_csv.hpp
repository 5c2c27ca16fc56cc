// A comparison as a table for spreadsheets and data frames.
#pragma once

#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// One line per strategy and problem under a line of names, as in RFC 4180; each line repeats the
/// machine. Fields that were not measured are empty, never 0. `samples` are seconds, separated by
/// spaces.
std::string to_csv(const BenchRecord& record);

}  // namespace duoblas::cli

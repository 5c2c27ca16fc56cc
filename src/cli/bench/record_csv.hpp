// A comparison as a table for spreadsheets and data frames.
#pragma once

#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// One line per strategy and problem under a line of names, as RFC 4180 has it; the machine is
/// repeated in each. What was not measured is empty, never 0. `samples` are seconds with spaces
/// between them.
std::string to_csv(const BenchRecord& record);

}  // namespace duoblas::cli

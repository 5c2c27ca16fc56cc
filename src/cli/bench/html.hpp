// Pieces of a page.
#pragma once

#include <string>

#include "cli/bench/strategy_table.hpp"

namespace duoblas::cli {

/// A table with its title as caption, and its notes below.
std::string html_table(const StrategyTable& table);

}  // namespace duoblas::cli

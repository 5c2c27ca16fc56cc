// Pieces of a page.
#pragma once

#include <string>
#include <string_view>

#include "cli/bench/strategy_table.hpp"

namespace duoblas::cli {

/// The text as HTML shows it, in elements and in quoted attributes. What is no UTF-8 becomes '?'.
std::string html_text(std::string_view text);

/// A table with its title as caption, and its notes below.
std::string html_table(const StrategyTable& table);

}  // namespace duoblas::cli

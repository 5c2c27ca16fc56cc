// A comparison as one page: machine, tables and charts.
#pragma once

#include <string>

#include "cli/bench/record.hpp"

namespace duoblas::cli {

/// A whole HTML document that refers to nothing outside of it, for light screens and dark ones.
std::string report_page(const BenchRecord& record);

}  // namespace duoblas::cli

// Charts as a script for gnuplot.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/chart.hpp"
#include "tuner/gnuplot.hpp"

namespace duoblas::cli {

/// More charts than one picture has room for.
inline constexpr std::size_t most_charts = 16;

/// The charts one below the other, under a title; of more than most_charts the first, and the title
/// says so. For gnuplot_picture(). Pure. \pre each chart has points.
std::string charts_script(const std::vector<Chart>& charts, const std::string& title,
                          PlotFormat format);

}  // namespace duoblas::cli

// Charts as a script for gnuplot: the back-end of `--plot`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "plot/gnuplot.hpp"

namespace duoblas {

/// More charts than one picture has room for.
inline constexpr std::size_t most_charts = 16;

/// The charts one below the other, under a title. If there are more than most_charts, only the
/// first ones, and the title says so. For gnuplot_picture(). Pure.
std::string gnuplot_script(const std::vector<Chart>& charts, const std::string& title,
                           PlotFormat format);

/// A picture of one chart, as high as its bars need. For gnuplot_picture(). Pure.
std::string gnuplot_bars(const BarChart& chart, PlotFormat format);

}  // namespace duoblas

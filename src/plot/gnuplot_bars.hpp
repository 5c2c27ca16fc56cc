// Bars as a script for gnuplot.
#pragma once

#include <string>

#include "plot/chart.hpp"
#include "plot/gnuplot.hpp"

namespace duoblas {

/// A picture of one chart, as high as its bars need. For gnuplot_picture(). Pure.
std::string gnuplot_bars(const BarChart& chart, PlotFormat format);

}  // namespace duoblas

// A chart as SVG inside a page: the back-end that needs no other program.
#pragma once

#include <string>

#include "plot/chart.hpp"

namespace duoblas {

/// An <svg> element of 860 x 400 units that fills the available width. Its colours are the page's:
/// chart_style(). Markers show their numbers under the mouse.
std::string chart_svg(const Chart& chart);

/// The style rules for charts, for a light page and a dark one.
std::string chart_style();

}  // namespace duoblas

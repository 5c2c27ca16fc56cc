// A chart as SVG inside a page: the back-end that needs no other program.
#pragma once

#include <string>

#include "plot/chart.hpp"

namespace duoblas {

/// An <svg> element of 860 x 400 units that is as wide as there is room. Its colours are the
/// page's: chart_style(). Markers say their numbers where the mouse rests.
std::string chart_svg(const Chart& chart);

/// The rules of style that charts need, for a light page and a dark one.
std::string chart_style();

}  // namespace duoblas

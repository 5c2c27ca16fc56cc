// Charts as SVG: for a page, and as a file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/chart.hpp"

namespace duoblas {

/// What one chart is made of: elements of SVG, from 0,0 on.
struct ChartDrawing {
  static constexpr double width = 860;
  double height = 0;
  std::string title;
  std::string elements;
};

/// The columns of text that the longest name in its legend needs.
std::size_t legend_columns(const Chart& chart);

/// Markers show their numbers under the mouse.
ChartDrawing drawing_of(const Chart& chart, std::size_t columns_for_legend);
ChartDrawing drawing_of(const BarChart& chart);

/// An <svg> element that fills the width of a page. Its colours are the page's: chart_style().
std::string chart_svg(const Chart& chart);

/// The style rules for charts, for a light page.
std::string chart_style();
/// What differs on a dark one.
std::string chart_style_on_dark();

/// A file: drawings below one another on white, so that it can be printed. No title: none.
std::string picture_svg(const std::vector<ChartDrawing>& drawings, const std::string& title);
/// Legends have the same room in all of them, so that their axes are as long.
std::string picture_svg(const std::vector<Chart>& charts, const std::string& title);

/// \throws SettingError if `path` cannot be written.
void write_picture(const std::string& svg, const std::string& path);

}  // namespace duoblas

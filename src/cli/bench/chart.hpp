// A chart as a value: what is drawn, not by whom. chart_script draws it with gnuplot, chart_svg for
// a page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace duoblas::cli {

/// A point with its spread; `low` and `high` are `y` where there is none.
struct ChartPoint {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};

struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;  ///< by x
  std::size_t look = 0;            ///< colour, marker and dashes, below most_plot_lines
  bool markers = true;             ///< without: many points that follow one another
  int width = 2;
};

/// A dashed line from bottom to top, with words.
struct ChartMark {
  double x = 0;
  std::string text;
};

/// Something lasted from one x to another.
struct ChartPhase {
  double from = 0;
  double to = 0;
  std::string text;
};

/// The y axis begins at 0. The x axis is as long as it must be for the points, and logarithmic
/// where `log_x` says so.
struct Chart {
  std::string title;
  std::string x_label;  ///< with its unit, as is y_label
  std::string y_label;
  bool log_x = false;
  std::vector<double> x_ticks;  ///< empty: wherever numbers are round
  std::vector<ChartLine> lines;
  std::optional<ChartMark> mark;
  std::vector<ChartPhase> phases;
};

struct ChartExtent {
  double x_from = 0;
  double x_to = 1;
  double y_to = 1;
};

/// What the axes must reach: every point with its spread, a little room, and a strip above for
/// words where there are a mark or phases. \pre some line has a point.
ChartExtent extent_of(const Chart& chart);

/// Whether there is anything to be drawn.
bool has_points(const Chart& chart);

/// Those of `values` that are far enough apart on the axis for their labels. Ascending.
std::vector<double> readable_ticks(std::vector<double> values, bool logarithmic);

}  // namespace duoblas::cli

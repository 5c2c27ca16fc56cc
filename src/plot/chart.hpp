// A chart as a value: the contents. chart_svg draws it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace duoblas {

/// A point with its spread, which is 0 unless given.
struct ChartPoint {
  double x = 0;
  double y = 0;
  double low = y;
  double high = y;
};

/// If there are no points, the legend says that it was not measured.
struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points = {};  ///< by x
  std::size_t look = 0;                 ///< of chart_looks
  bool markers = true;                  ///< without them: dashes, for many points in a row
  bool steps = false;                   ///< a value holds until the next one
  int width = 2;
};

/// A dashed vertical line with a text.
struct ChartMark {
  double x = 0;
  std::string text;
};

/// An interval of x with a name.
struct ChartPhase {
  double from = 0;
  double to = 0;
  std::string text;
};

/// Lines over two axes. The y axis begins at 0.
struct Chart {
  std::string title;
  std::string x_label;  ///< with its unit, as is y_label
  std::string y_label;
  bool log_x = false;
  bool x_from_zero = false;      ///< else the axis begins at the first point; not with log_x
  std::vector<double> x_ticks;   ///< empty: wherever numbers are round
  std::vector<ChartLine> lines;  ///< the first is the lowest layer
  std::optional<ChartMark> mark;
  std::vector<ChartPhase> phases;
  std::string empty_reason;  ///< shown by a chart without points
};

/// One horizontal bar. A bar without a value shows its name and its note.
struct ChartBar {
  std::string name;
  double value = 0;
  double low = value;
  double high = value;
  std::string note;        ///< behind its end
  std::size_t series = 0;  ///< index into the chart's series; gives its colour
};

/// Horizontal bars, the first on top. Their names take the place of a y axis.
struct BarChart {
  std::string title;
  std::string value_label;          ///< with its unit
  std::vector<std::string> series;  ///< shown in the legend if there is more than one
  std::vector<ChartBar> bars;
};

struct ChartExtent {
  double x_from = 0;
  double x_to = 1;
  double y_to = 1;
};

/// The range of the axes: every point with its spread, phases and ticks, a little room, and a strip
/// above for texts if there are a mark or phases.
ChartExtent extent_of(const Chart& chart);

/// Whether there is anything to draw.
bool has_points(const Chart& chart);

/// The name of a line in the legend.
std::string legend_name(const ChartLine& line);

/// Those of `values` that are far enough apart on the axis for their labels. Ascending.
std::vector<double> readable_ticks(std::vector<double> values, bool logarithmic);

/// A number for data and labels, with at most so many significant digits.
std::string plot_number(double value, int digits = 9);

/// Colours, markers and dashes tell the lines of a chart apart.
struct ChartLook {
  const char* colour;
  const char* colour_on_dark;
  const char* marker_class;
  const char* marker_path;  ///< around 0,0
  const char* dash_array;   ///< empty: solid
};

namespace chart_shapes {
inline constexpr const char* circle = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z";
inline constexpr const char* square = "M-4-4H4V4H-4z";
inline constexpr const char* triangle = "M0-5.5L5 3.5H-5z";
inline constexpr const char* triangle_down = "M0 5.5L5-3.5H-5z";
inline constexpr const char* diamond = "M0-6L5 0L0 6L-5 0z";
}  // namespace chart_shapes

// Okabe and Ito's colours, which differ for every common kind of colour blindness. Their yellow is
// too pale for lines on white, so grey replaces it. The markers distinguish lines without colour.
// On a dark page the dark colours are lighter; their order by hue stays.
inline constexpr std::array<ChartLook, 8> chart_looks = {{
    {"#0072B2", "#4FA8E0", "filled", chart_shapes::circle, ""},
    {"#E69F00", "#E69F00", "filled", chart_shapes::square, "8 4"},
    {"#009E73", "#2BC79A", "filled", chart_shapes::triangle, "2 3"},
    {"#D55E00", "#F07A3A", "filled", chart_shapes::triangle_down, "8 3 2 3"},
    {"#CC79A7", "#DB93B9", "filled", chart_shapes::diamond, "12 4"},
    {"#56B4E9", "#8FD0F5", "open", chart_shapes::circle, ""},
    {"#000000", "#F0F0F0", "open", chart_shapes::square, "8 4"},
    {"#777777", "#A0A0A0", "open", chart_shapes::triangle, "2 3"},
}};

}  // namespace duoblas

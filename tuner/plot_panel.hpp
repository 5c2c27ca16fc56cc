// One panel of a plot: lines with markers, as gnuplot is told to draw them.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

/// How many lines can be told apart, by colour and by marker.
constexpr std::size_t most_plot_lines = 8;

/// "#0072B2" and gnuplot's number of a marker, of a look below most_plot_lines.
const char* plot_colour(std::size_t look);
int plot_marker(std::size_t look);

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
  std::size_t look = 0;  ///< which colour and marker, below most_plot_lines
  bool steps = false;    ///< a value holds until the next one
  int width = 2;
};

/// A number as gnuplot reads it.
std::string plot_number(double value);

/// The largest y; 0 where there is none above it.
double highest(const std::vector<PlotLine>& lines);

/// The data and the plot command. A line without points is in the legend as not measured. `panel`
/// is a word that no other panel of the script has. \pre one line has points.
void write_plot_lines(const std::string& panel, const std::vector<PlotLine>& lines,
                      std::ostream& script);

/// Two axes, and in their middle why there is no more.
void write_empty_panel(const std::string& why, std::ostream& script);

}  // namespace duoblas

#include "tuner/plot_panel.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>

#include "tuner/gnuplot.hpp"

namespace duoblas {
namespace {

// Okabe and Ito's colours, apart for every common kind of colour blindness; their yellow is too
// pale for lines on white, so a grey stands in for it. The markers tell them apart without colour.
constexpr std::array<const char*, most_plot_lines> kColours = {
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#777777"};
constexpr std::array<int, most_plot_lines> kMarkers = {7, 5, 9, 11, 13, 6, 4, 8};

using Points = std::vector<std::pair<double, double>>;

std::string block_name(const std::string& panel, std::size_t line) {
  return "$" + panel + std::to_string(line);
}

void write_block(const std::string& name, const Points& points, std::ostream& script) {
  script << name << " << END\n";
  for (const auto& [x, y] : points) script << plot_number(x) << ' ' << plot_number(y) << '\n';
  script << "END\n";
}

}  // namespace

const char* plot_colour(std::size_t look) {
  return kColours.at(look);
}

int plot_marker(std::size_t look) {
  return kMarkers.at(look);
}

std::string plot_number(double value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

void write_plot_lines(const std::string& panel, const std::vector<PlotLine>& lines,
                      std::ostream& script) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].points.empty()) write_block(block_name(panel, i), lines[i].points, script);
  std::string separator = "plot ";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const PlotLine& line = lines[i];
    const std::string pen = std::string(" linecolor '") + kColours[line.look] + "' linewidth " +
                            std::to_string(line.width);
    const std::string marker = " pointtype " + std::to_string(kMarkers[line.look]) + " pointsize 1";
    const std::string title = " title " + gnuplot_quoted(line.name);
    script << separator;
    separator = ", ";
    if (line.points.empty()) {
      script << "NaN with linespoints" << pen << marker << " title "
             << gnuplot_quoted(line.name + " (not measured)");
      continue;
    }
    const std::string block = block_name(panel, i);
    if (line.steps)
      script << block << " with steps" << pen << " notitle, " << block << " with points" << pen
             << marker << " notitle, NaN with linespoints" << pen << marker << title;
    else
      script << block << " with linespoints" << pen << marker << title;
  }
  script << '\n';
}

void write_empty_panel(const std::string& why, std::ostream& script) {
  script << "unset key\nset label 1 " << gnuplot_quoted(why)
         << " at graph 0.5, graph 0.5 center textcolor '#333333'\n"
         << "set xrange [0:1]\nset yrange [0:1]\nunset xtics\nunset ytics\nunset grid\n"
         << "plot NaN notitle\nunset label 1\nset xtics\nset ytics\n";
}

double highest(const std::vector<PlotLine>& lines) {
  double most = 0;
  for (const PlotLine& line : lines)
    for (const auto& point : line.points) most = std::max(most, point.second);
  return most;
}

}  // namespace duoblas

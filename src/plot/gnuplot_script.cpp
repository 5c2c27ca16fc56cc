#include "plot/gnuplot_script.hpp"

#include <algorithm>
#include <sstream>

#include "plot/chart.hpp"
#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

constexpr int kWidth = 1050;
constexpr int kChartHeight = 430;
constexpr int kTitleHeight = 40;
// In characters, what fits beside a chart, above one, and above all.
constexpr std::size_t kWidestName = 38;
constexpr std::size_t kWidestTitle = 78;
constexpr std::size_t kWidestHeading = 112;

constexpr const char* kFrame =
    "set border 3 linecolor '#333333'\nset tics nomirror\n"
    "set grid xtics ytics linetype 1 linewidth 0.5 linecolor '#dddddd'\n";

// One line that fits.
std::string quoted(const std::string& text, std::size_t columns) {
  return gnuplot_quoted(truncated_to_width(printable(text), columns));
}

std::string block_name(std::size_t chart, std::size_t line) {
  return "$chart" + std::to_string(chart) + "line" + std::to_string(line);
}

bool has_spread(const ChartLine& line) {
  return std::ranges::any_of(line.points,
                             [](const ChartPoint& p) { return p.low < p.y || p.high > p.y; });
}

void write_data(const ChartLine& line, const std::string& block, std::ostream& script) {
  script << block << " << END\n";
  for (const ChartPoint& p : line.points)
    script << plot_number(p.x) << ' ' << plot_number(p.y) << ' ' << plot_number(p.low) << ' '
           << plot_number(p.high) << '\n';
  script << "END\n";
}

void write_line(const ChartLine& line, const std::string& block, std::ostream& script) {
  const ChartLook& look = chart_looks.at(line.look);
  const std::string pen =
      std::string(" linecolor '") + look.colour + "' linewidth " + std::to_string(line.width);
  const std::string marker = " pointtype " + std::to_string(look.gnuplot_marker) + " pointsize 1";
  const std::string title = " title " + quoted(legend_name(line), kWidestName);
  const std::string data = block + " using 1:2";
  // NaN draws nothing but the legend's sample.
  const std::string sample = "NaN with linespoints" + pen + marker + title;
  if (line.points.empty()) {
    script << sample;
  } else if (!line.markers) {
    script << data << " with lines dashtype " << look.gnuplot_dashes << pen << title;
  } else if (line.steps) {
    script << data << " with steps" << pen << " notitle, " << data << " with points" << pen
           << marker << " notitle, " << sample;
  } else {
    if (has_spread(line))
      script << block << " using 1:2:3:4 with yerrorbars pointtype 0" << pen << " notitle, ";
    script << data << " with linespoints" << pen << marker << title;
  }
}

// A line from bottom to top.
void write_upright(double x, const char* pen, std::ostream& script) {
  script << "set arrow from first " << plot_number(x) << ", graph 0 to first " << plot_number(x)
         << ", graph 1 nohead " << pen << '\n';
}

void write_words_above(const Chart& chart, const ChartExtent& extent, std::ostream& script) {
  if (chart.mark) {
    write_upright(chart.mark->x, "dashtype 2 linewidth 1.5 linecolor '#333333'", script);
    // On the side where there is more room.
    const bool left = 2 * chart.mark->x > extent.x_from + extent.x_to;
    script << "set label " << gnuplot_quoted(chart.mark->text) << " at first "
           << plot_number(chart.mark->x) << ", graph 0.95 "
           << (left ? "right offset char -0.8" : "left offset char 0.8")
           << ",0 textcolor '#333333'\n";
  }
  bool upper = true;
  for (const ChartPhase& phase : chart.phases) {
    write_upright(phase.to, "dashtype 3 linewidth 1 linecolor '#999999'", script);
    script << "set label " << gnuplot_quoted(phase.text) << " at first "
           << plot_number((phase.from + phase.to) / 2) << ", graph " << (upper ? "0.96" : "0.91")
           << " center textcolor '#333333'\n";
    upper = !upper;
  }
}

void write_axes(const Chart& chart, const ChartExtent& extent, std::ostream& script) {
  script << "set title " << quoted(chart.title, kWidestTitle) << "\nset xlabel "
         << gnuplot_quoted(chart.x_label) << "\nset ylabel " << gnuplot_quoted(chart.y_label)
         << "\nset xrange [" << plot_number(extent.x_from) << ':' << plot_number(extent.x_to)
         << "]\nset yrange [0:" << plot_number(extent.y_to) << "]\n"
         << (chart.log_x ? "set logscale x\n" : "");
  if (chart.x_ticks.empty()) return;
  std::string separator = "set xtics (";
  for (const double tick : readable_ticks(chart.x_ticks, chart.log_x)) {
    script << separator << gnuplot_quoted(plot_number(tick)) << ' ' << plot_number(tick);
    separator = ", ";
  }
  script << ")\n";
}

// `edge` is where the axes end and the legend begins, in parts of the picture.
void write_chart(const Chart& chart, std::size_t number, double edge, std::ostream& script) {
  script << "reset\n"
         << kFrame << "set lmargin at screen 0.085\nset rmargin at screen " << plot_number(edge, 3)
         << "\nset key at screen " << plot_number(edge + 0.015, 3)
         << ", graph 1 left top Left reverse spacing 1.2 samplen 2\n";
  const ChartExtent extent = extent_of(chart);
  write_axes(chart, extent, script);
  if (!has_points(chart)) {
    script << "set label " << gnuplot_quoted(chart.empty_reason)
           << " at graph 0.5, graph 0.5 center textcolor '#333333'\n"
           << "unset xtics\nunset ytics\nunset grid\nplot NaN notitle\n";
    return;
  }
  write_words_above(chart, extent, script);
  for (std::size_t i = 0; i < chart.lines.size(); ++i)
    if (!chart.lines[i].points.empty()) write_data(chart.lines[i], block_name(number, i), script);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    script << (i == 0 ? "plot " : ", ");
    write_line(chart.lines[i], block_name(number, i), script);
  }
  script << '\n';
}

// The legends of all charts have the same room, so that their axes are as long.
double legend_edge(const std::vector<Chart>& charts) {
  std::size_t widest = 0;
  for (const Chart& chart : charts)
    for (const ChartLine& line : chart.lines)
      widest = std::max(widest, terminal_width(printable(legend_name(line))));
  // In parts of the picture: what is left of a name, and a digit, which is among the wide ones.
  return 0.93 - 0.0087 * static_cast<double>(std::min(widest, kWidestName));
}

}  // namespace

std::string gnuplot_script(const std::vector<Chart>& charts, const std::string& title,
                           PlotFormat format) {
  const std::size_t shown = std::min(charts.size(), most_charts);
  const std::string some = shown < charts.size() ? "  (" + std::to_string(shown) + " of " +
                                                       std::to_string(charts.size()) + " charts)"
                                                 : "";
  std::ostringstream script;
  script << gnuplot_terminal(format,
                             {kWidth, kTitleHeight + kChartHeight * static_cast<int>(shown)})
         << "set multiplot layout " << shown << ",1 title "
         << gnuplot_quoted(truncated_to_width(printable(title), kWidestHeading) + some) << '\n';
  for (std::size_t i = 0; i < shown; ++i) write_chart(charts[i], i, legend_edge(charts), script);
  script << "unset multiplot\n";
  return script.str();
}

}  // namespace duoblas

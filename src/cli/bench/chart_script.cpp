#include "cli/bench/chart_script.hpp"

#include <algorithm>
#include <sstream>

#include "tuner/plot_panel.hpp"
#include "tuner/printable_text.hpp"

namespace duoblas::cli {
namespace {

constexpr int kWidth = 1050;
constexpr int kChartHeight = 430;
constexpr int kTitleHeight = 40;
// In characters, what fits beside a chart, above one, and above all.
constexpr std::size_t kWidestName = 30;
constexpr std::size_t kWidestTitle = 78;
constexpr std::size_t kWidestHeading = 112;

std::string block_name(std::size_t chart, std::size_t line) {
  return "$chart" + std::to_string(chart) + "line" + std::to_string(line);
}

bool has_spread(const ChartLine& line) {
  return std::ranges::any_of(line.points,
                             [](const ChartPoint& p) { return p.low < p.y || p.high > p.y; });
}

void write_data(const ChartLine& line, const std::string& name, std::ostream& script) {
  script << name << " << END\n";
  for (const ChartPoint& p : line.points)
    script << plot_number(p.x) << ' ' << plot_number(p.y) << ' ' << plot_number(p.low) << ' '
           << plot_number(p.high) << '\n';
  script << "END\n";
}

void write_line(const ChartLine& line, const std::string& block, std::ostream& script) {
  const std::string pen = std::string(" linecolor '") + plot_colour(line.look) + "' linewidth " +
                          std::to_string(line.width);
  const std::string title = " title " + gnuplot_quoted(cut_to_width(line.name, kWidestName));
  if (!line.markers) {
    script << block << " with lines dashtype " << line.look % 5 + 1 << pen << title;
    return;
  }
  const std::string marker =
      " pointtype " + std::to_string(plot_marker(line.look)) + " pointsize 1";
  if (has_spread(line))
    script << block << " using 1:2:3:4 with yerrorbars pointtype 0" << pen << " notitle, ";
  script << block << " using 1:2 with linespoints" << pen << marker << title;
}

void write_words_above(const Chart& chart, const ChartExtent& extent, std::ostream& script) {
  if (chart.mark) {
    const std::string x = plot_number(chart.mark->x);
    // On the side where there is more room.
    const bool left = 2 * chart.mark->x > extent.x_from + extent.x_to;
    script << "set arrow from first " << x << ", graph 0 to first " << x
           << ", graph 1 nohead dashtype 2 linewidth 1.5 linecolor '#333333'\nset label "
           << gnuplot_quoted(chart.mark->text) << " at first " << x << ", graph 0.95 "
           << (left ? "right offset char -0.8" : "left offset char 0.8")
           << ",0 textcolor '#333333'\n";
  }
  bool upper = true;
  for (const ChartPhase& phase : chart.phases) {
    script << "set arrow from first " << plot_number(phase.to) << ", graph 0 to first "
           << plot_number(phase.to)
           << ", graph 1 nohead dashtype 3 linewidth 1 linecolor '#999999'\nset label "
           << gnuplot_quoted(phase.text) << " at first " << plot_number((phase.from + phase.to) / 2)
           << ", graph " << (upper ? "0.96" : "0.91") << " center textcolor '#333333'\n";
    upper = !upper;
  }
}

void write_ticks(const Chart& chart, std::ostream& script) {
  if (chart.x_ticks.empty()) {
    script << "set xtics autofreq\n";
    return;
  }
  std::string separator = "set xtics (";
  for (const double tick : readable_ticks(chart.x_ticks, chart.log_x)) {
    script << separator << gnuplot_quoted(plot_number(tick)) << ' ' << plot_number(tick);
    separator = ", ";
  }
  script << ")\n";
}

void write_chart(const Chart& chart, std::size_t number, std::ostream& script) {
  const ChartExtent extent = extent_of(chart);
  script << "unset arrow\nunset label\nset title "
         << gnuplot_quoted(cut_to_width(chart.title, kWidestTitle)) << "\nset xlabel "
         << gnuplot_quoted(chart.x_label) << "\nset ylabel " << gnuplot_quoted(chart.y_label)
         << '\n'
         << (chart.log_x ? "set logscale x\n" : "unset logscale x\n");
  write_ticks(chart, script);
  script << "set xrange [" << plot_number(extent.x_from) << ':' << plot_number(extent.x_to)
         << "]\nset yrange [0:" << plot_number(extent.y_to) << "]\n";
  write_words_above(chart, extent, script);
  for (std::size_t i = 0; i < chart.lines.size(); ++i)
    if (!chart.lines[i].points.empty()) write_data(chart.lines[i], block_name(number, i), script);
  std::string separator = "plot ";
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    if (chart.lines[i].points.empty()) continue;
    script << separator;
    write_line(chart.lines[i], block_name(number, i), script);
    separator = ", ";
  }
  script << '\n';
}

}  // namespace

std::string charts_script(const std::vector<Chart>& charts, const std::string& title,
                          PlotFormat format) {
  const std::size_t shown = std::min(charts.size(), most_charts);
  const std::string some = shown < charts.size() ? "  (" + std::to_string(shown) + " of " +
                                                       std::to_string(charts.size()) + " charts)"
                                                 : "";
  std::ostringstream script;
  script << gnuplot_terminal(format,
                             {kWidth, kTitleHeight + kChartHeight * static_cast<int>(shown)})
         << "set multiplot layout " << shown << ",1 title "
         << gnuplot_quoted(cut_to_width(printable(title), kWidestHeading) + some) << '\n'
         << "set lmargin at screen 0.085\nset rmargin at screen 0.78\n"
         << "set border 3 linecolor '#333333'\nset tics nomirror\n"
         << "set grid xtics ytics linetype 1 linewidth 0.5 linecolor '#dddddd'\n"
         << "set key at screen 0.795, graph 1 left top Left reverse spacing 1.2 samplen 2\n";
  for (std::size_t i = 0; i < shown; ++i) write_chart(charts[i], i, script);
  script << "unset multiplot\n";
  return script.str();
}

}  // namespace duoblas::cli

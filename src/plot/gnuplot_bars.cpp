#include "plot/gnuplot_bars.hpp"

#include <algorithm>
#include <sstream>

#include "plot/chart_look.hpp"
#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

constexpr int kWidth = 1000;
constexpr int kBarHeight = 34;
constexpr int kHeightWithoutBars = 150;

void write_axes(const BarChart& chart, std::ostream& script) {
  double most = 0;
  std::size_t widest = 0;
  for (const ChartBar& bar : chart.bars) {
    most = std::max({most, bar.value, bar.high});
    widest = std::max(widest, terminal_width(printable(bar.name)));
  }
  // Letters of a proportional font are narrower than what gnuplot takes for a character.
  const double names = 0.7 * static_cast<double>(widest) + 4.5;
  script << "set title " << gnuplot_quoted(chart.title) << "\nset xlabel "
         << gnuplot_quoted(chart.value_label)
         << "\nset xrange [0:" << plot_number(most > 0 ? 1.14 * most : 1) << "]\nset yrange ["
         << plot_number(static_cast<double>(chart.bars.size()) + 0.6)
         << ":0.4]\nset border 3 linecolor '#333333'\nset tics nomirror\n"
         << "set grid xtics linecolor '#cccccc'\nset style fill solid noborder\n"
         << "set key at screen 0.5,0.015 center bottom maxrows 1 width 3\nset lmargin "
         << plot_number(names + 4) << "\nset rmargin 3\nset bmargin 6\n"
         << "set ytics scale 0 left offset char " << plot_number(-names) << ",0\nset label "
         << gnuplot_quoted(chart.name_label) << " at graph 0, graph 1 left offset char "
         << plot_number(-names - 0.7) << ",0.4\n";
}

void write_names_and_notes(const std::vector<ChartBar>& bars, std::ostream& script) {
  script << "set ytics (";
  for (std::size_t i = 0; i < bars.size(); ++i)
    script << (i == 0 ? "" : ", ") << gnuplot_quoted(bars[i].name) << ' ' << i + 1;
  script << ")\n";
  for (std::size_t i = 0; i < bars.size(); ++i)
    script << "set label " << gnuplot_quoted(bars[i].note) << " at first "
           << plot_number(std::max(bars[i].value, bars[i].high)) << ", first " << i + 1
           << " left offset char 0.8,0 textcolor '#333333'\n";
}

std::string block_name(std::size_t series) {
  return "$series" + std::to_string(series);
}

// The places, values and quartiles of one series; how many there are.
std::size_t write_data(const BarChart& chart, std::size_t series, std::ostream& script) {
  std::size_t count = 0;
  script << block_name(series) << " << END\n";
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const ChartBar& bar = chart.bars[i];
    if (bar.series != series || !(bar.value > 0)) continue;
    ++count;
    script << i + 1 << ' ' << plot_number(bar.value) << ' ' << plot_number(bar.low) << ' '
           << plot_number(bar.high) << '\n';
  }
  script << "END\n";
  return count;
}

}  // namespace

std::string gnuplot_bars(const BarChart& chart, PlotFormat format) {
  std::ostringstream script;
  const int bars = static_cast<int>(chart.bars.size());
  script << gnuplot_terminal(format, {kWidth, kHeightWithoutBars + kBarHeight * bars});
  write_axes(chart, script);
  write_names_and_notes(chart.bars, script);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    if (write_data(chart, i, script) > 0) shown.push_back(i);
  // Without any bar the names and notes are all there is.
  if (shown.empty()) script << "plot NaN notitle";
  for (const std::size_t series : shown) {
    const std::string block = block_name(series);
    const std::string title =
        shown.size() > 1 ? "title " + gnuplot_quoted(chart.series[series]) : "notitle";
    script << (series == shown.front() ? "plot " : ", ") << block
           << " using (0):1:(0):2:($1-0.36):($1+0.36) with boxxyerror linecolor '"
           << chart_looks.at(series).colour << "' " << title << ", " << block
           << " using 2:1:3:4 with xerrorbars pointtype 0 linecolor 'black' notitle";
  }
  script << '\n';
  return script.str();
}

}  // namespace duoblas

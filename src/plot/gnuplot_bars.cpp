// Bar charts as a script for gnuplot.
#include "plot/gnuplot_script.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "plot/chart.hpp"
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
         << "set grid xtics linecolor '#cccccc'\n"
         << "set key at screen 0.5,0.015 center bottom maxrows 1 width 3\nset lmargin "
         << plot_number(names + 4) << "\nset rmargin 3\nset bmargin 6\n"
         << "set ytics scale 0 left offset char " << plot_number(-names) << ",0 ()\nset label "
         << gnuplot_quoted(chart.name_label) << " at graph 0, graph 1 left offset char "
         << plot_number(-names - 0.7) << ",0.4\n";
}

void write_bar(const ChartBar& bar, std::size_t place, std::ostream& script) {
  script << "set ytics add (" << gnuplot_quoted(bar.name) << ' ' << place << ")\nset label "
         << gnuplot_quoted(bar.note) << " at first " << plot_number(std::max(bar.value, bar.high))
         << ", first " << place << " left offset char 0.8,0 textcolor '#333333'\n";
  if (!(bar.value > 0)) return;
  const double middle = static_cast<double>(place);
  script << "set object rectangle from 0," << plot_number(middle - 0.36) << " to "
         << plot_number(bar.value) << ',' << plot_number(middle + 0.36)
         << " fillstyle solid noborder fillcolor '" << chart_looks.at(bar.series).colour << "'\n";
  if (bar.low < bar.high)
    script << "set arrow from " << plot_number(bar.low) << ',' << place << " to "
           << plot_number(bar.high) << ',' << place << " heads size screen 0.004,90 fixed front\n";
}

}  // namespace

std::string gnuplot_bars(const BarChart& chart, PlotFormat format) {
  std::ostringstream script;
  const int bars = static_cast<int>(chart.bars.size());
  script << gnuplot_terminal(format, {kWidth, kHeightWithoutBars + kBarHeight * bars});
  write_axes(chart, script);
  std::set<std::size_t> shown;
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    write_bar(chart.bars[i], i + 1, script);
    if (chart.bars[i].value > 0) shown.insert(chart.bars[i].series);
  }
  // The bars are there already; the plot brings axes and legend.
  script << "plot NaN notitle";
  if (shown.size() > 1)
    for (const std::size_t series : shown)
      script << ", NaN with boxes fillstyle solid noborder linecolor '"
             << chart_looks.at(series).colour << "' title "
             << gnuplot_quoted(chart.series.at(series));
  script << '\n';
  return script.str();
}

}  // namespace duoblas

#include "bench/ladder_plot.hpp"

#include <cstdio>
#include <utility>

#include <duoblas/error.hpp>

#include "plot/gnuplot_bars.hpp"

namespace duoblas {
namespace {

// A figure space before a lone digit puts the titles below one another.
std::string numbered(std::size_t number, const std::string& title) {
  return (number < 10 ? "\u2007" : "") + std::to_string(number) + "  " + title;
}

// The bar of a step or of another library.
template <typename Climbed>
ChartBar bar_of(const Climbed& climbed, std::string name, std::size_t series) {
  ChartBar bar;
  bar.name = std::move(name);
  bar.series = series;
  if (!climbed.refused.empty()) {
    bar.note = "not here: " + climbed.refused.substr(0, 60);
    return bar;
  }
  bar.value = climbed.gflops;
  bar.low = climbed.q1;
  bar.high = climbed.q3;
  char gflops[32];
  std::snprintf(gflops, sizeof gflops, climbed.gflops < 100 ? "%.1f" : "%.0f", climbed.gflops);
  bar.note = gflops;
  return bar;
}

}  // namespace

void check_plot(const std::string& path) {
  const auto format = plot_format(path);
  if (!format)
    throw SettingError("--plot takes a name that ends in .svg or .png, not \"" + path + "\"");
  require_gnuplot(*format);
}

void plot_ladder(const Climbed& climbed, const std::string& title, const std::string& path) {
  BarChart chart;
  chart.title = title;
  chart.value_label = "GFLOPS (bar: median, whisker: quartiles)";
  chart.name_label = "step";
  chart.series = {"steps of the tutorial", "our steps", "other libraries"};
  for (const ClimbedStep& step : climbed.steps)
    chart.bars.push_back(bar_of(step, numbered(chart.bars.size() + 1, step.step.title),
                                step.step.of_tutorial ? 0 : 1));
  for (const ClimbedPeer& peer : climbed.peers) chart.bars.push_back(bar_of(peer, peer.name, 2));
  draw_with_gnuplot(gnuplot_bars(chart, plot_format(path).value_or(PlotFormat::svg)), path);
}

}  // namespace duoblas

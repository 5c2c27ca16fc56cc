#include "bench/ladder_plot.hpp"

#include <cstdio>

#include <duoblas/error.hpp>

#include "plot/gnuplot_bars.hpp"

namespace duoblas {
namespace {

// A figure space before a lone digit puts the titles below one another.
std::string numbered(std::size_t number, const std::string& title) {
  return (number < 10 ? "\u2007" : "") + std::to_string(number) + "  " + title;
}

ChartBar bar_of(const ClimbedStep& step, std::size_t number) {
  ChartBar bar;
  bar.name = numbered(number, step.step.title);
  bar.series = step.step.of_tutorial ? 0 : 1;
  if (!step.refused.empty()) {
    bar.note = "not here: " + step.refused.substr(0, 60);
    return bar;
  }
  bar.value = step.gflops;
  bar.low = step.q1;
  bar.high = step.q3;
  char gflops[32];
  std::snprintf(gflops, sizeof gflops, step.gflops < 100 ? "%.1f" : "%.0f", step.gflops);
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

void plot_ladder(const std::vector<ClimbedStep>& steps, const std::string& title,
                 const std::string& path) {
  BarChart chart;
  chart.title = title;
  chart.value_label = "GFLOPS (bar: median, whisker: quartiles)";
  chart.name_label = "step";
  chart.series = {"steps of the tutorial", "our steps"};
  for (const ClimbedStep& step : steps) chart.bars.push_back(bar_of(step, chart.bars.size() + 1));
  draw_with_gnuplot(gnuplot_bars(chart, plot_format(path).value_or(PlotFormat::svg)), path);
}

}  // namespace duoblas

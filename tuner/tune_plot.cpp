#include "tuner/tune_plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/split_chart.hpp"

namespace duoblas {
namespace {

ChartLine progress_line(const ProgressSeries& series) {
  ChartLine line{.name = series.name, .steps = true};
  for (const ProgressSample& s : series.samples)
    if (std::isfinite(s.seconds) && s.seconds >= 0 && std::isfinite(s.best_gflops) &&
        s.best_gflops > 0)
      line.points.push_back({s.seconds, s.best_gflops});
  std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
  return line;
}

std::vector<ChartLine> shown_progress(const std::vector<ProgressSeries>& progress) {
  std::vector<ChartLine> measured;
  for (const ProgressSeries& series : progress) {
    ChartLine line = progress_line(series);
    if (!line.points.empty()) measured.push_back(std::move(line));
  }
  const std::size_t count = std::min(measured.size(), most_series);
  std::vector<ChartLine> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = count == 1 ? 0 : i * (measured.size() - 1) / (count - 1);
    lines.push_back(measured[from]);
    lines.back().look = i;
  }
  return lines;
}

Chart progress_chart(const std::vector<ProgressSeries>& progress) {
  Chart chart;
  chart.lines = shown_progress(progress);
  chart.title = "The search: the best whole call so far";
  if (chart.lines.size() < progress.size() && chart.lines.size() == most_series)
    chart.title +=
        " (" + std::to_string(chart.lines.size()) + " of " + std::to_string(progress.size()) + ")";
  chart.x_label = "time of tuning (s)";
  chart.y_label = "best so far (GFLOPS)";
  chart.x_from_zero = true;
  chart.empty_reason = "no whole call was measured";
  return chart;
}

}  // namespace

std::vector<Chart> tune_charts(const TunePlot& plot) {
  Chart split = split_chart(plot.split, plot.chosen_share, "chosen");
  const std::string of = plot.split_case.empty() ? "" : " of " + plot.split_case;
  split.title = "The time of a call, by the GPU's share" + of;
  std::vector<Chart> charts = {std::move(split), progress_chart(plot.progress)};
  for (const FieldCurve& curve : plot.curves) charts.push_back(field_chart(curve, plot.split_case));
  return charts;
}

}  // namespace duoblas

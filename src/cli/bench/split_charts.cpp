#include <cmath>

#include "cli/bench/comparison_charts.hpp"
#include "tuner/plot_panel.hpp"

namespace duoblas::cli {
namespace {

ChartLine line_of(const char* name, const std::vector<SplitSample>& samples,
                  double SplitSample::*seconds, std::size_t look, int width) {
  ChartLine line{name, {}, look, true, width};
  for (const SplitSample& s : samples) {
    const double ms = 1e3 * (s.*seconds);
    if (ms > 0) line.points.push_back({100 * s.share, ms, ms, ms});
  }
  return line;
}

}  // namespace

std::vector<Chart> split_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const SplitCurve& curve : record.splits) {
    Chart chart;
    chart.title = "Time of both sides over the split: " + problem_text(curve.problem);
    chart.x_label = "the GPU's share of C (%)";
    chart.y_label = "time of a call (ms)";
    chart.x_ticks = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    // The whole call lies on its slower side: broad and below, it hides neither.
    chart.lines = {line_of("whole call", curve.samples, &SplitSample::whole_seconds, 2, 5),
                   line_of("GPU's side", curve.samples, &SplitSample::gpu_seconds, 1, 2),
                   line_of("CPU's side", curve.samples, &SplitSample::cpu_seconds, 0, 2)};
    if (curve.chosen)
      chart.mark = {100 * *curve.chosen,
                    "hybrid: " + plot_number(std::round(1000 * *curve.chosen) / 10) + " %"};
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace duoblas::cli

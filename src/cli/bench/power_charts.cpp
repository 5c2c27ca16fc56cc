#include "cli/bench/comparison_charts.hpp"
#include "tuner/plot_panel.hpp"

namespace duoblas::cli {

std::vector<Chart> power_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const PowerTrace& trace : record.traces) {
    Chart chart;
    chart.title = "Power over time: " + trace.problem;
    chart.x_label = "time (s)";
    chart.y_label = "power (W)";
    for (const PowerLine& power : trace.lines) {
      ChartLine line{power.domain, {}, chart.lines.size() % most_plot_lines, false, 2};
      for (const WattsAt& w : power.watts)
        line.points.push_back({w.seconds, w.watts, w.watts, w.watts});
      chart.lines.push_back(std::move(line));
    }
    for (const PowerPhase& phase : trace.phases)
      chart.phases.push_back({phase.begin, phase.end, phase.strategy});
    charts.push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> comparison_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const auto& some : {rate_charts(record), split_charts(record), power_charts(record)})
    for (const Chart& chart : some)
      if (has_points(chart)) charts.push_back(chart);
  return charts;
}

}  // namespace duoblas::cli

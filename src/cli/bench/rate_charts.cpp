#include <algorithm>
#include <cmath>

#include "cli/bench/comparison_charts.hpp"
#include "cli/bench/size_groups.hpp"
#include "cli/tuned_rates.hpp"
#include "tuner/plot_panel.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas::cli {
namespace {

std::size_t look_of(const std::string& strategy) {
  const auto& names = strategy_names();
  const auto place = std::ranges::find(names, strategy) - names.begin();
  return std::min(static_cast<std::size_t>(place), most_plot_lines - 1);
}

ChartLine line_of(const std::string& strategy, const SizeGroup& group) {
  ChartLine line{strategy, {}, look_of(strategy), true, 2};
  for (const ComparisonRow& r : group.rows) {
    if (r.strategy != strategy || !(r.seconds > 0) || r.recovered) continue;
    const double work = operations(r) * 1e-9;
    const double low = r.seconds_q3 > 0 ? work / r.seconds_q3 : r.gflops;
    const double high = r.seconds_q1 > 0 ? work / r.seconds_q1 : r.gflops;
    line.points.push_back({group.size(r), r.gflops, low, high});
  }
  std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
  return line;
}

// Factors from size to size are even on a logarithmic axis, steps on a plain one.
bool is_logarithmic(const std::vector<double>& sizes) {
  const auto [least, most] = std::ranges::minmax(sizes);
  return most >= 4 * least;
}

Chart chart_of(const SizeGroup& group) {
  Chart chart;
  const ComparisonRow& first = group.rows.front();
  chart.title = product_name(first.precision) + " " + first.ops + ", " + first.layout +
                "-major: speed of whole calls, median and quartiles";
  chart.x_label = "size: " + group.label;
  chart.y_label = "GFLOPS";
  std::vector<std::string> strategies;
  for (const ComparisonRow& row : group.rows) {
    chart.x_ticks.push_back(std::round(group.size(row)));
    if (std::ranges::find(strategies, row.strategy) == strategies.end())
      strategies.push_back(row.strategy);
  }
  chart.log_x = is_logarithmic(chart.x_ticks);
  for (const std::string& strategy : strategies) chart.lines.push_back(line_of(strategy, group));
  return chart;
}

}  // namespace

std::vector<Chart> rate_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const SizeGroup& group : size_groups(record.rows)) charts.push_back(chart_of(group));
  return charts;
}

}  // namespace duoblas::cli

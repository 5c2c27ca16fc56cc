#include "cli/bench/comparison_charts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "cli/bench/size_groups.hpp"
#include "plot/chart.hpp"
#include "tuner/split_chart.hpp"
#include "tuner/strategy_plan.hpp"

namespace duoblas::cli {
namespace {

std::size_t look_of(const std::string& strategy) {
  // gemv's own strategy comes last, so the looks of the others stay the same.
  std::vector<std::string> names = strategy_names();
  names.emplace_back("prepared");
  const auto place = std::ranges::find(names, strategy) - names.begin();
  return std::min(static_cast<std::size_t>(place), chart_looks.size() - 1);
}

ChartLine rate_line(const std::string& strategy, const SizeGroup& group) {
  ChartLine line{.name = strategy, .look = look_of(strategy)};
  for (const ComparisonRow& r : group.rows) {
    if (r.strategy != strategy || !(r.seconds > 0) || r.recovered) continue;
    const double work = work_of(r), rate = rate_of(r);
    const double low = r.seconds_q3 > 0 ? work / r.seconds_q3 : rate;
    const double high = r.seconds_q1 > 0 ? work / r.seconds_q1 : rate;
    line.points.push_back({group.size(r), rate, low, high});
  }
  std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
  return line;
}

// Factors from size to size are even on a logarithmic axis, steps on a plain one.
bool is_logarithmic(const std::vector<double>& sizes) {
  const auto [least, most] = std::ranges::minmax(sizes);
  return most >= 4 * least;
}

Chart rate_chart(const SizeGroup& group) {
  Chart chart;
  const ComparisonRow& first = group.rows.front();
  chart.title = routine_name(first) + " " + first.ops + ", " + first.layout +
                "-major: speed of whole calls, median and quartiles";
  chart.x_label = "size: " + group.label;
  chart.y_label = rate_unit(first);
  std::vector<std::string> strategies;
  for (const ComparisonRow& row : group.rows) {
    chart.x_ticks.push_back(std::round(group.size(row)));
    if (std::ranges::find(strategies, row.strategy) == strategies.end())
      strategies.push_back(row.strategy);
  }
  chart.log_x = is_logarithmic(chart.x_ticks);
  for (const std::string& strategy : strategies) {
    ChartLine line = rate_line(strategy, group);
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  return chart;
}

Chart power_chart(const PowerTrace& trace) {
  Chart chart;
  chart.title = "Power over time: " + trace.problem;
  chart.x_label = "time (s)";
  chart.y_label = "power (W)";
  for (const PowerLine& power : trace.lines) {
    ChartLine line{
        .name = power.domain, .look = chart.lines.size() % chart_looks.size(), .markers = false};
    for (const WattsAt& w : power.watts) line.points.push_back({w.seconds, w.watts});
    chart.lines.push_back(std::move(line));
  }
  for (const PowerPhase& phase : trace.phases)
    chart.phases.push_back({phase.begin, phase.end, phase.strategy});
  return chart;
}

}  // namespace

std::vector<Chart> rate_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const SizeGroup& group : size_groups(record.rows)) charts.push_back(rate_chart(group));
  return charts;
}

std::vector<Chart> split_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const SplitCurve& curve : record.splits) {
    charts.push_back(split_chart(curve.samples, curve.chosen, "hybrid"));
    charts.back().title = "Time of both sides over the split: " + problem_text(curve.problem);
  }
  return charts;
}

std::vector<Chart> power_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const PowerTrace& trace : record.traces) charts.push_back(power_chart(trace));
  return charts;
}

std::vector<Chart> comparison_charts(const BenchRecord& record) {
  std::vector<Chart> charts;
  for (const auto& some : {rate_charts(record), split_charts(record), power_charts(record)})
    std::ranges::copy_if(some, std::back_inserter(charts), has_points);
  return charts;
}

}  // namespace duoblas::cli

#include "tuner/split_chart.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {
namespace {

bool is_share(double share) {
  return share >= 0 && share <= 1;
}

std::vector<ChartPoint> times(const std::vector<SplitSample>& samples, double SplitSample::*side) {
  std::vector<ChartPoint> points;
  for (const SplitSample& s : samples)
    if (std::isfinite(s.*side) && s.*side > 0 && is_share(s.share))
      points.push_back({100 * s.share, 1e3 * s.*side});
  std::ranges::stable_sort(points, {}, &ChartPoint::x);
  return points;
}

}  // namespace

Chart split_chart(const std::vector<SplitSample>& samples, std::optional<double> chosen,
                  const std::string& chosen_name) {
  Chart chart;
  chart.x_label = "the GPU's share of C (%)";
  chart.y_label = "time of a call (ms)";
  chart.x_ticks = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  // The whole call's line runs along that of its slower side. It is broad and drawn first, so both
  // can be seen.
  chart.lines = {
      {.name = "whole call",
       .points = times(samples, &SplitSample::whole_seconds),
       .look = 2,
       .width = 5},
      {.name = "GPU's side", .points = times(samples, &SplitSample::gpu_seconds), .look = 1},
      {.name = "CPU's side", .points = times(samples, &SplitSample::cpu_seconds), .look = 0}};
  if (chosen && is_share(*chosen)) {
    const double percent = std::round(1000 * *chosen) / 10;
    chart.mark = {100 * *chosen, chosen_name + ": " + plot_number(percent) + " %"};
  }
  chart.empty_reason = "no split was measured";
  return chart;
}

}  // namespace duoblas

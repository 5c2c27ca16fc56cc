#include "tuner/rate_curve.hpp"

#include <algorithm>
#include <utility>

namespace duoblas {

void add_curve(Chart& chart, const FieldCurve& curve, const std::string& name) {
  ChartLine line{.name = name};
  line.look = chart.lines.size();
  for (const FieldRate& rate : curve.rates)
    if (rate.rate > 0) line.points.push_back({static_cast<double>(rate.value), rate.rate});
  std::vector<double>& ticks = chart.x_ticks;
  for (const ChartPoint& point : line.points) ticks.push_back(point.x);
  std::ranges::sort(ticks);
  ticks.erase(std::unique(ticks.begin(), ticks.end()), ticks.end());
  constexpr double far_apart = 8;
  chart.log_x = ticks.size() > 2 && ticks.front() > 0 && ticks.back() >= far_apart * ticks.front();
  chart.lines.push_back(std::move(line));
  chart.empty_reason = "no value was measured";
}

}  // namespace duoblas

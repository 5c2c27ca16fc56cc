#include "plot/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace duoblas {

bool has_points(const Chart& chart) {
  return std::ranges::any_of(chart.lines, [](const ChartLine& l) { return !l.points.empty(); });
}

ChartExtent extent_of(const Chart& chart) {
  if (!has_points(chart)) return {};
  double from = std::numeric_limits<double>::infinity(), to = -from, most = 0;
  const auto reach = [&](double x) {
    from = std::min(from, x);
    to = std::max(to, x);
  };
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& p : line.points) {
      reach(p.x);
      most = std::max({most, p.y, p.high});
    }
  }
  for (const ChartPhase& phase : chart.phases) {
    reach(phase.from);
    reach(phase.to);
  }
  for (const double tick : chart.x_ticks) reach(tick);
  if (chart.x_from_zero) reach(0);

  const bool words_above = chart.mark.has_value() || !chart.phases.empty();
  const double y_to = (words_above ? 1.18 : 1.08) * (most > 0 ? most : 1);
  if (chart.log_x) {
    const double room = from < to ? std::pow(to / from, 0.04) : 2;
    return {from / room, to * room, y_to};
  }
  const double room = from < to ? 0.02 * (to - from) : std::max(1.0, 0.5 * std::abs(to));
  return {chart.x_from_zero ? 0 : from - room, to + room, y_to};
}

std::string legend_name(const ChartLine& line) {
  return line.points.empty() ? line.name + " (not measured)" : line.name;
}

std::vector<double> readable_ticks(std::vector<double> values, bool logarithmic) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < 2) return values;
  const auto place = [&](double x) { return logarithmic ? std::log(x) : x; };
  // Labels of five digits take about a twelfth of the axis.
  const double apart = (place(values.back()) - place(values.front())) / 12;
  std::vector<double> ticks = {values.front()};
  for (const double value : values) {
    const bool last = value == values.back();
    if (last && ticks.size() > 1 && place(value) - place(ticks.back()) < apart) ticks.pop_back();
    if (place(value) - place(ticks.back()) >= apart) ticks.push_back(value);
  }
  return ticks;
}

std::string plot_number(double value, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

}  // namespace duoblas

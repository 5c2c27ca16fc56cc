#include "plot/chart_svg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plot/printable_text.hpp"
#include "plot/svg_elements.hpp"

namespace duoblas {
namespace {

using svg::at;
using svg::one_line;
using svg::segment;
using svg::text;

// Where the axes are; right of them is the legend.
constexpr double kLeft = 70, kFarthestRight = 640, kTop = 40, kBottom = 340, kHeight = 400;
constexpr double kMiddle = (kTop + kBottom) / 2;
constexpr double kSample = 58;  // what is left of a name in the legend
constexpr std::size_t kWidestName = 38, kWidestTitle = 100;

double axis_end(std::size_t columns) {
  const auto shown = static_cast<double>(std::min(columns, kWidestName));
  return std::min(kFarthestRight, ChartDrawing::width - kSample - svg::column * shown);
}

std::string corner(double x, double y) {
  return at(x) + "," + at(y) + " ";
}

// 1, 2 or 5 times a power of ten, so that there are about `count`.
std::vector<double> round_ticks(double from, double to, int count) {
  const double rough = (to - from) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double step = power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
  std::vector<double> ticks;
  // Counted: where the range is tiny beside its numbers, one more than `first` is the same number.
  const double first = std::ceil(from / step);
  for (int i = 0; i <= count && (first + i) * step <= to * (1 + 1e-12); ++i)
    ticks.push_back((first + i) * step + 0.0);  // -0 + 0 is 0
  return ticks;
}

class Drawer {
 public:
  Drawer(const Chart& chart, std::size_t columns)
      : chart_(chart),
        extent_(extent_of(chart)),
        right_(axis_end(columns)),
        center_((kLeft + right_) / 2) {}

  std::string elements() const {
    std::string svg =
        text(kLeft, 22, one_line(chart_.title, kWidestTitle), "start", " class=\"title\"") +
        text(center_, kBottom + 42, chart_.x_label, "middle") +
        text(18, kMiddle, chart_.y_label, "middle",
             " transform=\"rotate(-90 18 " + at(kMiddle) + ")\"");
    svg += has_points(chart_) ? grid() + words_above()
                              : text(center_, kMiddle, chart_.empty_reason, "middle");
    svg += segment(kLeft, kBottom, right_, kBottom, "axis") +
           segment(kLeft, kTop, kLeft, kBottom, "axis");
    if (!has_points(chart_)) return svg;
    double legend_y = kTop + 10;
    for (const ChartLine& line : chart_.lines) {
      svg += drawn(line) + legend(line, legend_y);
      legend_y += 24;
    }
    return svg;
  }

 private:
  double x(double value) const {
    const double part =
        chart_.log_x ? std::log(value / extent_.x_from) / std::log(extent_.x_to / extent_.x_from)
                     : (value - extent_.x_from) / (extent_.x_to - extent_.x_from);
    return kLeft + part * (right_ - kLeft);
  }
  double y(double value) const { return kBottom - value / extent_.y_to * (kBottom - kTop); }

  std::string grid() const {
    std::string svg;
    for (const double tick : round_ticks(0, extent_.y_to, 8)) {
      svg += segment(kLeft, y(tick), right_, y(tick), "grid");
      svg += text(kLeft - 8, y(tick) + 4, plot_number(tick), "end");
    }
    const auto ticks = chart_.x_ticks.empty() ? round_ticks(extent_.x_from, extent_.x_to, 8)
                                              : readable_ticks(chart_.x_ticks, chart_.log_x);
    for (const double tick : ticks) {
      svg += segment(x(tick), kTop, x(tick), kBottom, "grid");
      svg += text(x(tick), kBottom + 18, plot_number(tick), "middle");
    }
    return svg;
  }

  std::string words_above() const {
    std::string svg;
    if (chart_.mark) {
      const double place = x(chart_.mark->x);
      const bool left = place > center_;  // on the side where there is more room
      svg += segment(place, kTop, place, kBottom, "mark");
      svg += text(place + (left ? -8 : 8), kTop + 14, chart_.mark->text, left ? "end" : "start");
    }
    bool upper = true;
    for (const ChartPhase& phase : chart_.phases) {
      svg += segment(x(phase.to), kTop, x(phase.to), kBottom, "phase");
      svg += text(x((phase.from + phase.to) / 2), kTop + (upper ? 12 : 28), phase.text, "middle");
      upper = !upper;
    }
    return svg;
  }

  static std::string polyline(const ChartLine& line, const std::string& corners) {
    const std::string dashes = line.markers ? "" : chart_looks.at(line.look).dash_array;
    return "<polyline points=\"" + corners + "\" stroke-width=\"" + std::to_string(line.width) +
           "\"" + (dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"") + "/>\n";
  }

  static std::string marker(const ChartLine& line, double x, double y, const std::string& title) {
    const ChartLook& look = chart_looks.at(line.look);
    return std::string("<path class=\"") + look.marker_class + "\" d=\"" + look.marker_path +
           "\" transform=\"translate(" + at(x) + "," + at(y) + ")\"><title>" + html_text(title) +
           "</title></path>\n";
  }

  std::string drawn(const ChartLine& line) const {
    if (line.points.empty()) return "";
    std::string corners, marks;
    double before = y(line.points.front().y);
    for (const ChartPoint& p : line.points) {
      if (line.steps) corners += corner(x(p.x), before);
      before = y(p.y);
      corners += corner(x(p.x), before);
      if (!line.markers) continue;
      if (p.low < p.y || p.high > p.y)
        marks += segment(x(p.x), y(p.low), x(p.x), y(p.high), "spread");
      marks += marker(line, x(p.x), y(p.y),
                      line.name + ": " + plot_number(p.y, 4) + " at " + plot_number(p.x));
    }
    return svg::group(line.look, polyline(line, corners) + marks);
  }

  std::string legend(const ChartLine& line, double y) const {
    const std::string sample =
        polyline(line, corner(right_ + 16, y) + corner(right_ + 50, y)) +
        (line.markers ? marker(line, right_ + 33, y, legend_name(line)) : "");
    return svg::group(line.look, sample) +
           text(right_ + kSample, y + 4, one_line(legend_name(line), kWidestName), "start");
  }

  const Chart& chart_;
  ChartExtent extent_;
  double right_, center_;
};

}  // namespace

std::size_t legend_columns(const Chart& chart) {
  std::size_t widest = 0;
  for (const ChartLine& line : chart.lines)
    widest = std::max(widest, terminal_width(printable(legend_name(line))));
  return widest;
}

ChartDrawing drawing_of(const Chart& chart, std::size_t columns_for_legend) {
  return {kHeight, chart.title, Drawer(chart, columns_for_legend).elements()};
}

}  // namespace duoblas

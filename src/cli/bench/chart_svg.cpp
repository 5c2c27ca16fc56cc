#include "cli/bench/chart_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "cli/bench/html.hpp"
#include "cli/text_table.hpp"
#include "tuner/plot_panel.hpp"

namespace duoblas::cli {
namespace {

// Where the axes are, in units of the picture; right of them is the legend.
constexpr double kLeft = 70, kRight = 660, kTop = 40, kBottom = 340;
constexpr int kWidth = 860, kHeight = 400;

std::string at(double value) {
  return fixed(value, 1);
}

std::string text(double x, double y, const std::string& words, const char* anchor,
                 const std::string& more = "") {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\"" + more +
         ">" + html_text(words) + "</text>\n";
}

std::string segment(double x1, double y1, double x2, double y2, const std::string& kind) {
  return "<line class=\"" + kind + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) +
         "\" y2=\"" + at(y2) + "\"/>\n";
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

class Axes {
 public:
  explicit Axes(const Chart& chart) : chart_(chart), extent_(extent_of(chart)) {}

  double x(double value) const {
    const double part =
        chart_.log_x ? std::log(value / extent_.x_from) / std::log(extent_.x_to / extent_.x_from)
                     : (value - extent_.x_from) / (extent_.x_to - extent_.x_from);
    return kLeft + part * (kRight - kLeft);
  }
  double y(double value) const { return kBottom - value / extent_.y_to * (kBottom - kTop); }

  std::string drawn() const {
    std::string svg;
    for (const double tick : round_ticks(0, extent_.y_to, 8)) {
      svg += segment(kLeft, y(tick), kRight, y(tick), "grid");
      svg += text(kLeft - 8, y(tick) + 4, plot_number(tick), "end");
    }
    const auto ticks = chart_.x_ticks.empty() ? round_ticks(extent_.x_from, extent_.x_to, 8)
                                              : readable_ticks(chart_.x_ticks, chart_.log_x);
    for (const double tick : ticks) {
      svg += segment(x(tick), kTop, x(tick), kBottom, "grid");
      svg += text(x(tick), kBottom + 18, plot_number(tick), "middle");
    }
    svg += segment(kLeft, kBottom, kRight, kBottom, "axis");
    svg += segment(kLeft, kTop, kLeft, kBottom, "axis");
    const double middle = (kTop + kBottom) / 2;
    return svg + text((kLeft + kRight) / 2, kBottom + 42, chart_.x_label, "middle") +
           text(18, middle, chart_.y_label, "middle",
                " transform=\"rotate(-90 18 " + at(middle) + ")\"") +
           text((kLeft + kRight) / 2, 22, chart_.title, "middle", " class=\"title\"");
  }

  std::string words_above() const {
    std::string svg;
    if (chart_.mark) {
      const double place = x(chart_.mark->x);
      const bool left = place > (kLeft + kRight) / 2;
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

 private:
  const Chart& chart_;
  ChartExtent extent_;
};

// The shapes that gnuplot has for the same looks.
std::string marker(double x, double y, std::size_t look) {
  const auto shape = [&](std::initializer_list<std::array<double, 2>> corners, bool filled) {
    std::string points;
    for (const auto& [dx, dy] : corners)
      points += (points.empty() ? "" : " ") + at(x + dx) + "," + at(y + dy);
    return "<polygon class=\"" + std::string(filled ? "filled" : "open") + "\" points=\"" + points +
           "\"";
  };
  const auto circle = [&](bool filled) {
    return "<circle class=\"" + std::string(filled ? "filled" : "open") + "\" cx=\"" + at(x) +
           "\" cy=\"" + at(y) + "\" r=\"4.5\"";
  };
  if (look == 0) return circle(true);
  if (look == 1) return shape({{-4, -4}, {4, -4}, {4, 4}, {-4, 4}}, true);
  if (look == 2) return shape({{0, -5.5}, {5, 3.5}, {-5, 3.5}}, true);
  if (look == 3) return shape({{0, 5.5}, {5, -3.5}, {-5, -3.5}}, true);
  if (look == 4) return shape({{0, -6}, {5, 0}, {0, 6}, {-5, 0}}, true);
  if (look == 5) return circle(false);
  if (look == 6) return shape({{-4, -4}, {4, -4}, {4, 4}, {-4, 4}}, false);
  return shape({{0, -5.5}, {5, 3.5}, {-5, 3.5}}, false);
}

std::string dashes(const ChartLine& line) {
  constexpr std::array<const char*, 5> kDashes = {"", "8 4", "2 3", "8 3 2 3", "12 4"};
  const std::string pattern = line.markers ? "" : kDashes[line.look % kDashes.size()];
  return pattern.empty() ? "" : " stroke-dasharray=\"" + pattern + "\"";
}

std::string drawn(const ChartLine& line, const Axes& axes) {
  std::string points, marks;
  for (const ChartPoint& p : line.points) {
    const double x = axes.x(p.x), y = axes.y(p.y);
    points += (points.empty() ? "" : " ") + at(x) + "," + at(y);
    if (!line.markers) continue;
    if (p.low < p.y || p.high > p.y)
      marks += segment(x, axes.y(p.low), x, axes.y(p.high), "spread");
    marks += marker(x, y, line.look) + "><title>" +
             html_text(line.name + ": " + significant(p.y, 4) + " at " + plot_number(p.x)) +
             "</title></" + (line.look == 0 || line.look == 5 ? "circle" : "polygon") + ">\n";
  }
  return "<g class=\"look" + std::to_string(line.look) + "\">\n<polyline points=\"" + points +
         "\" stroke-width=\"" + std::to_string(line.width) + "\"" + dashes(line) + "/>\n" + marks +
         "</g>\n";
}

std::string legend(const Chart& chart) {
  std::string svg;
  double y = kTop + 10;
  for (const ChartLine& line : chart.lines) {
    if (line.points.empty()) continue;
    svg += "<g class=\"look" + std::to_string(line.look) + "\">\n<polyline points=\"" +
           at(kRight + 16) + "," + at(y) + " " + at(kRight + 50) + "," + at(y) +
           "\" stroke-width=\"" + std::to_string(line.width) + "\"" + dashes(line) + "/>\n";
    if (line.markers) svg += marker(kRight + 33, y, line.look) + "/>\n";
    svg += "</g>\n" + text(kRight + 58, y + 4, line.name, "start");
    y += 24;
  }
  return svg;
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  const Axes axes(chart);
  std::string svg = "<svg viewBox=\"0 0 " + std::to_string(kWidth) + " " + std::to_string(kHeight) +
                    "\" role=\"img\" aria-label=\"" + html_text(chart.title) + "\">\n";
  svg += axes.drawn() + axes.words_above();
  for (const ChartLine& line : chart.lines)
    if (!line.points.empty()) svg += drawn(line, axes);
  return svg + legend(chart) + "</svg>\n";
}

std::string chart_style() {
  // On a dark page the dark ones of the colours are lighter; their order by hue stays.
  constexpr std::array<const char*, most_plot_lines> kOnDark = {
      "#4FA8E0", "#E69F00", "#2BC79A", "#F07A3A", "#DB93B9", "#8FD0F5", "#F0F0F0", "#A0A0A0"};
  std::ostringstream light, dark;
  for (std::size_t look = 0; look < most_plot_lines; ++look) {
    light << ".look" << look << " { color: " << plot_colour(look) << "; }\n";
    dark << ".look" << look << " { color: " << kOnDark[look] << "; }\n";
  }
  return "svg { display: block; width: 100%; max-width: 1000px; font: 13px sans-serif; }\n"
         "svg text { fill: currentColor; }\nsvg .title { font-weight: bold; }\n"
         "svg polyline { fill: none; stroke: currentColor; stroke-linejoin: round; }\n"
         "svg .filled { fill: currentColor; }\n"
         "svg .open { fill: none; stroke: currentColor; stroke-width: 1.5; }\n"
         "svg .spread { stroke: currentColor; stroke-width: 1.5; opacity: 0.6; }\n"
         "svg .axis, svg .mark { stroke: currentColor; }\nsvg .mark { stroke-dasharray: 6 4; }\n"
         "svg .grid, svg .phase { stroke: #8884; }\nsvg .phase { stroke-dasharray: 3 3; }\n" +
         light.str() + "@media (prefers-color-scheme: dark) {\n" + dark.str() + "}\n";
}

}  // namespace duoblas::cli

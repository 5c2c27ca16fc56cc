#include "plot/chart_svg.hpp"

#include <cmath>
#include <vector>

#include "plot/chart.hpp"
#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

// Where the axes are, in units of the picture; right of them is the legend.
constexpr double kLeft = 70, kRight = 640, kTop = 40, kBottom = 340;
constexpr double kCenter = (kLeft + kRight) / 2, kMiddle = (kTop + kBottom) / 2;

std::string at(double value) {
  return plot_number(std::round(10 * value) / 10);
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

class ChartDrawing {
 public:
  explicit ChartDrawing(const Chart& chart) : chart_(chart), extent_(extent_of(chart)) {}

  std::string svg() const {
    std::string svg = "<svg viewBox=\"0 0 860 400\" role=\"img\" aria-label=\"" +
                      html_text(chart_.title) + "\">\n";
    svg += text(kCenter, 22, chart_.title, "middle", " class=\"title\"") +
           text(kCenter, kBottom + 42, chart_.x_label, "middle") +
           text(18, kMiddle, chart_.y_label, "middle",
                " transform=\"rotate(-90 18 " + at(kMiddle) + ")\"");
    svg += has_points(chart_) ? grid() + words_above()
                              : text(kCenter, kMiddle, chart_.empty_reason, "middle");
    svg += segment(kLeft, kBottom, kRight, kBottom, "axis") +
           segment(kLeft, kTop, kLeft, kBottom, "axis");
    if (!has_points(chart_)) return svg + "</svg>\n";
    double legend_y = kTop + 10;
    for (const ChartLine& line : chart_.lines) {
      svg += drawn(line) + legend(line, legend_y);
      legend_y += 24;
    }
    return svg + "</svg>\n";
  }

 private:
  double x(double value) const {
    const double part =
        chart_.log_x ? std::log(value / extent_.x_from) / std::log(extent_.x_to / extent_.x_from)
                     : (value - extent_.x_from) / (extent_.x_to - extent_.x_from);
    return kLeft + part * (kRight - kLeft);
  }
  double y(double value) const { return kBottom - value / extent_.y_to * (kBottom - kTop); }

  std::string grid() const {
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
    return svg;
  }

  std::string words_above() const {
    std::string svg;
    if (chart_.mark) {
      const double place = x(chart_.mark->x);
      const bool left = place > kCenter;  // on the side where there is more room
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

  static std::string group(const ChartLine& line, const std::string& content) {
    return "<g class=\"look" + std::to_string(line.look) + "\">\n" + content + "</g>\n";
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
    return group(line, polyline(line, corners) + marks);
  }

  static std::string legend(const ChartLine& line, double y) {
    const std::string sample =
        polyline(line, corner(kRight + 16, y) + corner(kRight + 50, y)) +
        (line.markers ? marker(line, kRight + 33, y, legend_name(line)) : "");
    return group(line, sample) + text(kRight + 58, y + 4, legend_name(line), "start");
  }

  const Chart& chart_;
  ChartExtent extent_;
};

}  // namespace

std::string chart_svg(const Chart& chart) {
  return ChartDrawing(chart).svg();
}

std::string chart_style() {
  std::string light, dark;
  for (std::size_t i = 0; i < chart_looks.size(); ++i) {
    const std::string name = ".look" + std::to_string(i);
    light += name + " { color: " + chart_looks[i].colour + "; }\n";
    dark += name + " { color: " + chart_looks[i].colour_on_dark + "; }\n";
  }
  return "svg { display: block; width: 100%; max-width: 1000px; font: 13px sans-serif; }\n"
         "svg text { fill: currentColor; }\nsvg .title { font-weight: bold; }\n"
         "svg polyline { fill: none; stroke: currentColor; stroke-linejoin: round; }\n"
         "svg .filled { fill: currentColor; }\n"
         "svg .open { fill: none; stroke: currentColor; stroke-width: 1.5; }\n"
         "svg .spread { stroke: currentColor; stroke-width: 1.5; opacity: 0.6; }\n"
         "svg .axis, svg .mark { stroke: currentColor; }\nsvg .mark { stroke-dasharray: 6 4; }\n"
         "svg .grid, svg .phase { stroke: #8884; }\nsvg .phase { stroke-dasharray: 3 3; }\n" +
         light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n";
}

}  // namespace duoblas

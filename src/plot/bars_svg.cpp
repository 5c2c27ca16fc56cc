// Horizontal bars as SVG.
#include <algorithm>
#include <set>

#include "plot/chart_svg.hpp"
#include "plot/svg_elements.hpp"

namespace duoblas {
namespace {

using svg::at;
using svg::one_line;
using svg::segment;
using svg::text;

constexpr double kTop = 40, kRow = 26, kThick = 17, kMargin = 20;
// Behind the longest bar is its note; other notes may be longer.
constexpr double kRoomForNotes = 110;
constexpr std::size_t kWidestName = 44, kWidestNote = 90, kWidestTitle = 110;

class BarDrawer {
 public:
  explicit BarDrawer(const BarChart& chart) : chart_(chart) {
    std::size_t widest = 0;
    for (const ChartBar& bar : chart.bars) {
      most_ = std::max({most_, bar.value, bar.high});
      widest = std::max(widest, terminal_width(one_line(bar.name, kWidestName)));
      if (bar.value > 0) shown_.insert(bar.series);
    }
    left_ = kMargin + svg::column * static_cast<double>(widest) + 10;
  }

  double bottom() const { return kTop + kRow * static_cast<double>(chart_.bars.size()); }
  double height() const { return bottom() + (has_legend() ? 70 : 44); }

  std::string elements() const {
    std::string svg =
        text(kMargin, 20, one_line(chart_.title, kWidestTitle), "start", " class=\"title\"");
    double middle = kTop + kRow / 2;
    for (const ChartBar& bar : chart_.bars) {
      svg += row(bar, middle);
      middle += kRow;
    }
    svg += segment(left_, kTop, left_, bottom(), "axis") +
           text(left_, bottom() + 20, chart_.value_label, "start");
    return has_legend() ? svg + legend() : svg;
  }

 private:
  bool has_legend() const { return shown_.size() > 1; }
  double x(double value) const {
    return left_ + value / (most_ > 0 ? most_ : 1) * (ChartDrawing::width - kRoomForNotes - left_);
  }

  static std::string box(double x, double middle, double length) {
    return "<rect class=\"filled\" x=\"" + at(x) + "\" y=\"" + at(middle - kThick / 2) +
           "\" width=\"" + at(length) + "\" height=\"" + at(kThick) + "\"/>\n";
  }

  std::string row(const ChartBar& bar, double middle) const {
    std::string svg = text(left_ - 8, middle + 4, one_line(bar.name, kWidestName), "end");
    if (bar.value > 0) svg += svg::group(bar.series, box(left_, middle, x(bar.value) - left_));
    if (bar.low < bar.high)
      svg += segment(x(bar.low), middle, x(bar.high), middle, "axis") +
             segment(x(bar.low), middle - 4, x(bar.low), middle + 4, "axis") +
             segment(x(bar.high), middle - 4, x(bar.high), middle + 4, "axis");
    return svg + text(x(std::max(bar.value, bar.high)) + 8, middle + 4,
                      one_line(bar.note, kWidestNote), "start");
  }

  std::string legend() const {
    std::string svg;
    double at_x = left_;
    const double y = bottom() + 44;
    for (const std::size_t series : shown_) {
      const std::string name = one_line(chart_.series.at(series), kWidestName);
      svg +=
          svg::group(series, box(at_x, y, kThick)) + text(at_x + kThick + 6, y + 4, name, "start");
      at_x += kThick + 30 + svg::column * static_cast<double>(terminal_width(name));
    }
    return svg;
  }

  const BarChart& chart_;
  std::set<std::size_t> shown_;
  double most_ = 0, left_ = 0;
};

}  // namespace

ChartDrawing drawing_of(const BarChart& chart) {
  const BarDrawer drawer(chart);
  return {drawer.height(), chart.title, drawer.elements()};
}

}  // namespace duoblas

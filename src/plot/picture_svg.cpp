// A file of charts, and what every chart looks like.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <duoblas/error.hpp>

#include "plot/chart_svg.hpp"
#include "plot/svg_elements.hpp"

namespace duoblas {
namespace {

std::string view_box(double height) {
  return "viewBox=\"0 0 " + svg::at(ChartDrawing::width) + " " + svg::at(height) + "\"";
}

constexpr double kHeading = 40;
constexpr std::size_t kWidestHeading = 100;

}  // namespace

std::string chart_svg(const Chart& chart) {
  const ChartDrawing drawing = drawing_of(chart, legend_columns(chart));
  return "<svg " + view_box(drawing.height) + " role=\"img\" aria-label=\"" +
         html_text(drawing.title) + "\">\n" + drawing.elements + "</svg>\n";
}

std::string chart_style() {
  std::string looks;
  for (std::size_t i = 0; i < chart_looks.size(); ++i)
    looks += ".look" + std::to_string(i) + " { color: " + chart_looks[i].colour + "; }\n";
  return "svg { font: 13px sans-serif; }\n"
         "svg text { fill: currentColor; }\nsvg .title { font-weight: bold; }\n"
         "svg polyline { fill: none; stroke: currentColor; stroke-linejoin: round; }\n"
         "svg .filled { fill: currentColor; }\n"
         "svg .open { fill: none; stroke: currentColor; stroke-width: 1.5; }\n"
         "svg .spread { stroke: currentColor; stroke-width: 1.5; opacity: 0.6; }\n"
         "svg .axis, svg .mark { stroke: currentColor; }\nsvg .mark { stroke-dasharray: 6 4; }\n"
         "svg .grid, svg .phase { stroke: #8884; }\nsvg .phase { stroke-dasharray: 3 3; }\n" +
         looks;
}

std::string chart_style_on_dark() {
  std::string looks;
  for (std::size_t i = 0; i < chart_looks.size(); ++i)
    looks += ".look" + std::to_string(i) + " { color: " + chart_looks[i].colour_on_dark + "; }\n";
  return "@media (prefers-color-scheme: dark) {\n" + looks + "}\n";
}

std::string picture_svg(const std::vector<ChartDrawing>& drawings, const std::string& title) {
  double height = title.empty() ? 0 : kHeading;
  std::string content;
  if (!title.empty())
    content = svg::text(ChartDrawing::width / 2, 24, svg::one_line(title, kWidestHeading), "middle",
                        " class=\"title\"");
  for (const ChartDrawing& drawing : drawings) {
    content +=
        "<g transform=\"translate(0," + svg::at(height) + ")\">\n" + drawing.elements + "</g>\n";
    height += drawing.height;
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + svg::at(ChartDrawing::width) +
         "\" height=\"" + svg::at(height) + "\" " + view_box(height) + ">\n<style>\n" +
         "svg { color: #222; background: #fff; }\n" + chart_style() + "</style>\n" +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + content + "</svg>\n";
}

std::string picture_svg(const std::vector<Chart>& charts, const std::string& title) {
  std::size_t columns = 0;
  for (const Chart& chart : charts) columns = std::max(columns, legend_columns(chart));
  std::vector<ChartDrawing> drawings;
  for (const Chart& chart : charts) drawings.push_back(drawing_of(chart, columns));
  return picture_svg(drawings, title);
}

void write_picture(const std::string& svg, const std::string& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (!file) throw SettingError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace duoblas

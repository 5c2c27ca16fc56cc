// Draws the bars of a text file, such as those of docs/figures, by the renderer of all pictures.
#include <fstream>
#include <iostream>

#include <duoblas/error.hpp>

#include "bench/harness.hpp"
#include "plot/chart_svg.hpp"

namespace {

using namespace duoblas;

constexpr const char* kUsage =
    R"(FILE.csv [--out FILE.svg]

Fields are between semicolons. Lines that start with # are skipped.
  chart;TITLE;WHAT THE VALUES ARE      begins a chart, below the one before
  series;NAME;NAME...                  of its bars' colours
  bar;NAME;VALUE;NOTE;SERIES           a bar; series count from 0
)";

BarChart& chart_of(std::vector<BarChart>& charts) {
  if (charts.empty()) throw SettingError("the first line is no chart;TITLE;VALUES");
  return charts.back();
}

std::vector<BarChart> charts_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw SettingError("cannot read " + path);
  std::vector<BarChart> charts;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = list_items(line, ';');
    if (fields.front() == "chart" && fields.size() == 3) {
      charts.push_back({fields[1], fields[2], {}, {}});
    } else if (fields.front() == "series") {
      if (fields.size() > 1 + chart_looks.size())
        throw SettingError("more series than colours: " + line);
      chart_of(charts).series.assign(fields.begin() + 1, fields.end());
    } else if (fields.front() == "bar" && fields.size() == 5) {
      const std::size_t series = std::stoul(fields[4]);
      if (series >= chart_of(charts).series.size()) throw SettingError("no such series: " + line);
      charts.back().bars.push_back(
          {.name = fields[1], .value = std::stod(fields[2]), .note = fields[3], .series = series});
    } else {
      throw SettingError("not understood: " + line);
    }
  }
  return charts;
}

int run(const NamedOptions& options) {
  std::vector<ChartDrawing> drawings;
  for (const BarChart& chart : charts_of(options.word())) drawings.push_back(drawing_of(chart));
  const std::string svg = picture_svg(drawings, "");
  if (options["--out"].empty())
    std::cout << svg;
  else
    write_picture(svg, options["--out"]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return bench_main("bench_figure", {{"", kUsage, NamedOptions({{"--out", ""}}, "file"), run}},
                    argc, argv);
}

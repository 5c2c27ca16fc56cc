#include "bench/ladder_report.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <utility>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_description.hpp"
#include "plot/gnuplot_script.hpp"

namespace duoblas {
namespace {

std::string speed(double gflops) {
  char text[32];
  std::snprintf(text, sizeof text, gflops < 100 ? "%.1f" : "%.0f", gflops);
  return text;
}

// A line without the blanks at its end.
template <typename... Cells>
void print_row(std::ostream& out, const char* format, Cells... cells) {
  char line[256];
  std::snprintf(line, sizeof line, format, cells...);
  std::string text = line;
  text.erase(text.find_last_not_of(' ') + 1);
  out << text << '\n';
}

// The speed of the step from which step `i` was derived. If that step has no time, of the next
// earlier one in the chain that has. 0: none has.
double speed_before(const std::vector<ClimbedStep>& steps, std::size_t i) {
  for (std::size_t from = steps[i].step.from; from > 0; from = steps[from - 1].step.from)
    if (steps[from - 1].refused.empty()) return steps[from - 1].gflops;
  return 0;
}

// The other libraries. Their last column is their speed divided by that of our fastest step.
void print_peers(const Climbed& climbed, double first, std::ostream& out) {
  double best = 0;
  for (const ClimbedStep& step : climbed.steps)
    if (step.refused.empty()) best = std::max(best, step.gflops);
  for (const ClimbedPeer& p : climbed.peers) {
    if (!p.refused.empty()) {
      print_row(out, "  %4s  %-29s  %7s  %.50s", "", p.name.c_str(), "-", p.refused.c_str());
      continue;
    }
    print_row(out, "  %4s  %-29s  %7s  %15s  %7.2f  %8.2f", "", p.name.c_str(),
              speed(p.gflops).c_str(), (speed(p.q1) + " - " + speed(p.q3)).c_str(),
              first > 0 ? p.gflops / first : 1, best > 0 ? p.gflops / best : 1);
  }
}

void print_speeds(const Climbed& climbed, std::ostream& out) {
  const std::vector<ClimbedStep>& steps = climbed.steps;
  print_row(out, "  %4s  %-29s  %7s  %15s  %7s  %8s", "step", "what changed", "GFLOPS", "quartiles",
            "x first", "x before");
  double first = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ClimbedStep& s = steps[i];
    if (!s.refused.empty()) {
      // 48 columns stand before it, and a line has fewer than 100.
      print_row(out, "  %4zu  %-29s  %7s  %.50s", i + 1, s.step.title.c_str(), "-",
                s.refused.c_str());
      continue;
    }
    if (first == 0) first = s.gflops;
    const double before = speed_before(steps, i);
    print_row(out, "  %4zu  %-29s  %7s  %15s  %7.2f  %8.2f", i + 1, s.step.title.c_str(),
              speed(s.gflops).c_str(), (speed(s.q1) + " - " + speed(s.q3)).c_str(),
              s.gflops / first, before > 0 ? s.gflops / before : 1);
  }
  print_peers(climbed, first, out);
}

// A figure space before a lone digit puts the titles below one another.
std::string numbered(std::size_t number, const std::string& title) {
  return (number < 10 ? "\u2007" : "") + std::to_string(number) + "  " + title;
}

// The bar of a step or of another library.
template <typename Climbed>
ChartBar bar_of(const Climbed& climbed, std::string name, std::size_t series) {
  ChartBar bar;
  bar.name = std::move(name);
  bar.series = series;
  if (!climbed.refused.empty()) {
    bar.note = "not here: " + climbed.refused.substr(0, 60);
    return bar;
  }
  bar.value = climbed.gflops;
  bar.low = climbed.q1;
  bar.high = climbed.q3;
  bar.note = speed(climbed.gflops);
  return bar;
}

}  // namespace

void print_ladder(const Climbed& climbed, std::ostream& out) {
  const std::vector<ClimbedStep>& steps = climbed.steps;
  print_speeds(climbed, out);
  const bool has_tutorial =
      std::ranges::any_of(steps, [](const ClimbedStep& s) { return s.step.of_tutorial; });
  out << "\nWhat changed, and the kernel:\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const LadderStep& step = steps[i].step;
    if (has_tutorial && i > 0 && steps[i - 1].step.of_tutorial && !step.of_tutorial)
      out << "  (the steps above are those of the myGEMM tutorial, the ones below are ours)\n";
    print_row(out, "  %4zu  %s", i + 1, step.change.c_str());
    print_row(out, "        %s", describe(step.kernel).c_str());
  }
  out << "\nGFLOPS: from the median of the device's time of whole calls, packing included; the "
         "steps\n"
         "took turns. x first: times the first step; x before: times the step that this one "
         "changes\n"
         "(of another library: times our fastest step).\n"
         "Every result was compared with the first step's before it was timed.\n";
}

void check_plot(const std::string& path) {
  const auto format = plot_format(path);
  if (!format)
    throw SettingError("--plot takes a name that ends in .svg or .png, not \"" + path + "\"");
  require_gnuplot(*format);
}

void plot_ladder(const Climbed& climbed, const std::string& title, const std::string& path) {
  BarChart chart;
  chart.title = title;
  chart.value_label = "GFLOPS (bar: median, whisker: quartiles)";
  chart.name_label = "step";
  chart.series = {"steps of the tutorial", "our steps", "other libraries"};
  for (const ClimbedStep& step : climbed.steps)
    chart.bars.push_back(bar_of(step, numbered(chart.bars.size() + 1, step.step.title),
                                step.step.of_tutorial ? 0 : 1));
  for (const ClimbedPeer& peer : climbed.peers) chart.bars.push_back(bar_of(peer, peer.name, 2));
  draw_with_gnuplot(gnuplot_bars(chart, plot_format(path).value_or(PlotFormat::svg)), path);
}

}  // namespace duoblas

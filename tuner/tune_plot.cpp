#include "tuner/tune_plot.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "tuner/plot_panel.hpp"
#include "tuner/printable_text.hpp"

namespace duoblas {
namespace {

// Both panels leave the same room for their legends, so that their axes are as long.
constexpr const char* kPanelEdges = "set lmargin at screen 0.085\nset rmargin at screen 0.69\n";

// In characters, what fits beside a panel and above both.
constexpr std::size_t widest_name = 38;
constexpr std::size_t widest_title = 120;

using Points = std::vector<std::pair<double, double>>;

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds > 0;
}

Points times(const std::vector<SplitSample>& split, double SplitSample::*side) {
  Points points;
  for (const SplitSample& s : split)
    if (is_time(s.*side) && s.share >= 0 && s.share <= 1)
      points.emplace_back(100 * s.share, 1e3 * s.*side);
  std::ranges::sort(points);
  return points;
}

void write_chosen(double share, std::ostream& script) {
  const std::string x = plot_number(100 * share);
  // On the side where there is more room.
  const bool left = share > 0.5;
  script << "set arrow 1 from first " << x << ", graph 0 to first " << x
         << ", graph 1 nohead dashtype 2 linewidth 1.5 linecolor '#333333'\nset label 2 "
         << gnuplot_quoted("chosen: " + plot_number(std::round(1000 * share) / 10) + " %")
         << " at first " << x << ", graph 0.95 " << (left ? "right" : "left") << " offset char "
         << (left ? "-0.8" : "0.8") << ",0 textcolor '#333333'\n";
}

void write_split(const TunePlot& plot, std::ostream& script) {
  // The whole call lies on its slower side: broad and below, it hides neither.
  const std::vector<PlotLine> lines = {
      {"whole call", times(plot.split, &SplitSample::whole_seconds), 2, false, 5},
      {"GPU's side", times(plot.split, &SplitSample::gpu_seconds), 1},
      {"CPU's side", times(plot.split, &SplitSample::cpu_seconds), 0}};
  const std::string of = plot.split_subject.empty() ? "" : " of " + plot.split_subject;
  script << "set title " << gnuplot_quoted("The time of a call, by the GPU's share" + of)
         << "\nset xlabel \"the GPU's share of C (%)\"\nset ylabel 'time (ms)'\n";
  const double most = highest(lines);
  if (most <= 0) {
    write_empty_panel("no split was measured", script);
    return;
  }
  if (plot.chosen_share && *plot.chosen_share >= 0 && *plot.chosen_share <= 1)
    write_chosen(*plot.chosen_share, script);
  // Markers at 0 and 100 % stay whole, and the label has a strip of its own above the lines.
  script << "set xrange [-2:102]\nset xtics 0,10,100\nset yrange [0:" << plot_number(1.16 * most)
         << "]\n";
  write_plot_lines("split", lines, script);
  script << "unset arrow 1\nunset label 2\nset xtics autofreq\n";
}

PlotLine progress_line(const ProgressSeries& series) {
  PlotLine line{cut_to_width(printable(series.name), widest_name), {}, 0, true};
  for (const ProgressSample& s : series.samples)
    if (std::isfinite(s.seconds) && s.seconds >= 0 && is_time(s.best_gflops))
      line.points.emplace_back(s.seconds, s.best_gflops);
  std::ranges::stable_sort(line.points, {}, &std::pair<double, double>::first);
  return line;
}

std::vector<PlotLine> shown_progress(const std::vector<ProgressSeries>& progress) {
  std::vector<PlotLine> measured;
  for (const ProgressSeries& series : progress) {
    PlotLine line = progress_line(series);
    if (!line.points.empty()) measured.push_back(std::move(line));
  }
  const std::size_t count = std::min(measured.size(), most_series);
  std::vector<PlotLine> lines;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = count == 1 ? 0 : i * (measured.size() - 1) / (count - 1);
    lines.push_back(measured[from]);
    lines.back().look = i;
  }
  return lines;
}

void write_progress(const TunePlot& plot, std::ostream& script) {
  const std::vector<PlotLine> lines = shown_progress(plot.progress);
  const std::string some = lines.size() < plot.progress.size() && lines.size() == most_series
                               ? " (" + std::to_string(lines.size()) + " of " +
                                     std::to_string(plot.progress.size()) + ")"
                               : "";
  script << "set title " << gnuplot_quoted("The search: the best whole call so far" + some)
         << "\nset xlabel 'time of tuning (s)'\nset ylabel 'best so far (GFLOPS)'\n";
  const double most = highest(lines);
  if (most <= 0) {
    write_empty_panel("no whole call was measured", script);
    return;
  }
  double end = 0;
  for (const PlotLine& line : lines)
    for (const auto& point : line.points) end = std::max(end, point.first);
  script << "set xrange [0:" << plot_number(end > 0 ? 1.03 * end : 1)
         << "]\nset yrange [0:" << plot_number(1.08 * most) << "]\n";
  write_plot_lines("search", lines, script);
}

}  // namespace

std::string tune_plot_script(const TunePlot& plot, PlotFormat format) {
  std::ostringstream script;
  script << gnuplot_terminal(format, {1050, 860}) << "set multiplot layout 2,1 title "
         << gnuplot_quoted(cut_to_width(printable(plot.title), widest_title)) << '\n'
         << kPanelEdges << "set border 3 linecolor '#333333'\nset tics nomirror\n"
         << "set grid xtics ytics linetype 1 linewidth 0.5 linecolor '#dddddd'\n"
         << "set key at screen 0.705, graph 1 left top Left reverse spacing 1.2 samplen 2\n";
  write_split(plot, script);
  script << "set grid xtics ytics\nset key at screen 0.705, graph 1 left top Left reverse spacing "
            "1.2\n";
  write_progress(plot, script);
  script << "unset multiplot\n";
  return script.str();
}

}  // namespace duoblas

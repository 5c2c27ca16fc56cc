// A tuning as a picture: what each share of the GPU costs, and how the search went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/gnuplot.hpp"
#include "tuner/plot_panel.hpp"
#include "tuner/split_sample.hpp"

namespace duoblas {

struct ProgressSample {
  double seconds = 0;  ///< of tuning
  double best_gflops = 0;
};

/// The search of one subject.
struct ProgressSeries {
  std::string name;
  std::vector<ProgressSample> samples;
};

struct TunePlot {
  std::string title;               ///< one line
  std::string split_subject;       ///< whose split curve it is
  std::vector<SplitSample> split;  ///< in any order
  std::optional<double> chosen_share;
  std::vector<ProgressSeries> progress;
};

/// The most series that one panel can show apart: of more, these many are drawn, evenly spread over
/// the list, and the panel says so.
constexpr std::size_t most_series = most_plot_lines;

/// Two panels, one above the other: milliseconds of the CPU's side, the GPU's side and the whole
/// call over the GPU's share, the chosen share marked; and the best GFLOPS so far over the seconds
/// of tuning. A panel without data says so. For gnuplot_picture(). Pure.
std::string tune_plot_script(const TunePlot& plot, PlotFormat format);

}  // namespace duoblas

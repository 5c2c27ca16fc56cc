// A tuning as charts: the times at each share of the GPU, the progress of the search, and the
// curves of single parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/chart.hpp"
#include "tuner/field_curve.hpp"
#include "tuner/split_sample.hpp"

namespace duoblas {

struct ProgressSample {
  double seconds = 0;  ///< of tuning
  double best_gflops = 0;
};

/// The search of one tuning case.
struct ProgressSeries {
  std::string name;
  std::vector<ProgressSample> samples;
};

struct TunePlot {
  std::string title;               ///< one line
  std::string split_case;          ///< the tuning case of the split curve
  std::vector<SplitSample> split;  ///< in any order
  std::optional<double> chosen_share;
  std::vector<ProgressSeries> progress;
  std::vector<FieldCurve> curves;  ///< of the same tuning case; of any number
};

/// The most series that one chart can distinguish. If there are more, this many are drawn, evenly
/// spread over the list, and the chart says so.
constexpr std::size_t most_series = chart_looks.size();

/// The split chart with the chosen share marked; the best GFLOPS so far over the seconds of tuning;
/// and a chart for each curve. A chart without data says so. Pure.
std::vector<Chart> tune_charts(const TunePlot& plot);

}  // namespace duoblas

#include "tuner/tune_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// 17 shares, of which the first has no GPU time and the last no CPU time.
TunePlot made_up(std::size_t subjects) {
  TunePlot plot;
  plot.title = "Paper device and Paper CPU x2";
  plot.split_subject = "sgemm nn 2048 x 2048 x 2048";
  for (int parts = 0; parts <= 16; ++parts) {
    const double share = parts / 16.0;
    const double gpu = 0.160 * share, cpu = 0.150 * (1 - share);
    plot.split.push_back({share, cpu, gpu, std::max(gpu, cpu)});
  }
  plot.chosen_share = 0.5;
  for (std::size_t i = 0; i < subjects; ++i) {
    const double start = 10.0 * static_cast<double>(i);
    plot.progress.push_back(
        {"subject " + std::to_string(i), {{start + 1, 100}, {start + 3, 150}, {start + 8, 160}}});
  }
  return plot;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// The lines between "NAME << END" and "END".
std::vector<std::string> block(const std::string& script, const std::string& name) {
  std::istringstream lines(script);
  std::vector<std::string> result;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line == "END") break;
    if (inside) result.push_back(line);
    if (line == name + " << END") inside = true;
  }
  return result;
}

TEST(TunePlot, HasTheSplitInMillisecondsOverPercent) {
  const std::string script = tune_plot_script(made_up(3), PlotFormat::svg);
  const auto whole = block(script, "$split0"), gpu = block(script, "$split1"),
             cpu = block(script, "$split2");
  ASSERT_EQ(whole.size(), 17u);
  EXPECT_EQ(whole[8], "50 80");
  EXPECT_EQ(gpu.size(), 16u);
  EXPECT_EQ(gpu.front(), "6.25 10");
  EXPECT_EQ(cpu.size(), 16u);
  EXPECT_EQ(cpu.front(), "0 150");
  for (const char* word : {"whole call", "GPU's side", "CPU's side", "chosen: 50 %", "(ms)", "(%)",
                           "(GFLOPS)", "(s)", "sgemm nn 2048 x 2048 x 2048"})
    EXPECT_NE(script.find(word), std::string::npos) << word;
}

TEST(TunePlot, HasASeriesPerSubject) {
  const std::string script = tune_plot_script(made_up(3), PlotFormat::svg);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(block(script, "$search" + std::to_string(i)).size(), 3u);
    EXPECT_NE(script.find("\"subject " + std::to_string(i) + "\""), std::string::npos);
  }
  EXPECT_EQ(block(script, "$search2").front(), "21 100");
}

TEST(TunePlot, OfManySubjectsShowsAsManyAsCanBeToldApartAndSaysSo) {
  const std::string script = tune_plot_script(made_up(56), PlotFormat::svg);
  EXPECT_EQ(count(script, "$search") - count(script, "$search8"), 3 * most_series);
  EXPECT_NE(script.find("(8 of 56)"), std::string::npos);
  EXPECT_NE(script.find("\"subject 0\""), std::string::npos);
  EXPECT_NE(script.find("\"subject 55\""), std::string::npos);
}

TEST(TunePlot, SaysInAPanelThatThereIsNothingToDraw) {
  TunePlot plot = made_up(2);
  plot.split.clear();
  std::string script = tune_plot_script(plot, PlotFormat::svg);
  EXPECT_NE(script.find("no split was measured"), std::string::npos);
  EXPECT_EQ(script.find("no whole call was measured"), std::string::npos);
  plot = made_up(0);
  script = tune_plot_script(plot, PlotFormat::svg);
  EXPECT_EQ(script.find("no split was measured"), std::string::npos);
  EXPECT_NE(script.find("no whole call was measured"), std::string::npos);
}

TEST(TunePlot, LeavesOutWhatIsNoTimeAndSaysWhichSideWasNotMeasured) {
  TunePlot plot = made_up(1);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (SplitSample& s : plot.split) s.cpu_seconds = 0;
  plot.split.push_back({0.3, nan, infinite, -1});
  plot.split.push_back({7, 1, 1, 1});
  plot.progress[0].samples.push_back({infinite, nan});
  const std::string script = tune_plot_script(plot, PlotFormat::svg);
  EXPECT_EQ(block(script, "$split0").size(), 17u);
  EXPECT_EQ(block(script, "$search0").size(), 3u);
  EXPECT_NE(script.find("CPU's side (not measured)"), std::string::npos);
  EXPECT_EQ(script.find("inf"), std::string::npos);
}

TEST(TunePlot, IsDrawnByGnuplotInBothFormats) {
  TunePlot odd = made_up(9);
  odd.title = "\xff `id` \"quoted\" " + std::string(300, 'x');
  for (const TunePlot& plot : {made_up(3), made_up(8), made_up(56), TunePlot(), odd})
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
      std::string picture;
      try {
        picture = gnuplot_picture(tune_plot_script(plot, format));
      } catch (const SettingError& error) {
        // gnuplot is optional.
        EXPECT_NE(std::string(error.what()).find("gnuplot-nox"), std::string::npos) << error.what();
        continue;
      }
      EXPECT_EQ(picture.substr(0, 5), format == PlotFormat::svg ? "<?xml" : "\x89PNG\r");
      EXPECT_EQ(picture.find("</svg>") != std::string::npos, format == PlotFormat::svg);
    }
}

}  // namespace
}  // namespace duoblas

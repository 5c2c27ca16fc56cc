// A tuning as charts, from data that are made up.
#include "tuner/tune_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "plot/chart_svg.hpp"

namespace duoblas {
namespace {

// 17 shares, of which the first has no GPU time and the last no CPU time.
TunePlot made_up(std::size_t tuning_cases) {
  TunePlot plot;
  plot.title = "Paper device and Paper CPU x2";
  plot.split_case = "sgemm nn 2048 x 2048 x 2048";
  for (int parts = 0; parts <= 16; ++parts) {
    const double share = parts / 16.0;
    const double gpu = 0.160 * share, cpu = 0.150 * (1 - share);
    plot.split.push_back({share, cpu, gpu, std::max(gpu, cpu)});
  }
  plot.chosen_share = 0.5;
  for (std::size_t i = 0; i < tuning_cases; ++i) {
    const double start = 10.0 * static_cast<double>(i);
    plot.progress.push_back(
        {"subject " + std::to_string(i), {{start + 1, 100}, {start + 3, 150}, {start + 8, 160}}});
  }
  return plot;
}

std::string picture_of(const TunePlot& plot) {
  return picture_svg(tune_charts(plot), plot.title);
}

TEST(TunePlot, HasTheSplitInMillisecondsOverPercent) {
  const Chart split = tune_charts(made_up(3)).at(0);
  ASSERT_EQ(split.lines.size(), 3u);
  const auto &whole = split.lines[0].points, &gpu = split.lines[1].points,
             &cpu = split.lines[2].points;
  ASSERT_EQ(whole.size(), 17u);
  EXPECT_DOUBLE_EQ(whole[8].x, 50);
  EXPECT_DOUBLE_EQ(whole[8].y, 80);
  EXPECT_EQ(gpu.size(), 16u);
  EXPECT_DOUBLE_EQ(gpu.front().x, 6.25);
  EXPECT_DOUBLE_EQ(gpu.front().y, 10);
  EXPECT_EQ(cpu.size(), 16u);
  EXPECT_DOUBLE_EQ(cpu.front().x, 0);
  EXPECT_DOUBLE_EQ(cpu.front().y, 150);
  const std::string picture = picture_of(made_up(3));
  for (const char* word : {"whole call", "GPU's side", "CPU's side", "chosen: 50 %", "(ms)", "(%)",
                           "(GFLOPS)", "(s)", "sgemm nn 2048 x 2048 x 2048"})
    EXPECT_NE(picture.find(word), std::string::npos) << word;
}

TEST(TunePlot, HasASeriesPerSubject) {
  const Chart search = tune_charts(made_up(3)).at(1);
  ASSERT_EQ(search.lines.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(search.lines[i].points.size(), 3u);
    EXPECT_EQ(search.lines[i].name, "subject " + std::to_string(i));
  }
  EXPECT_DOUBLE_EQ(search.lines[2].points.front().x, 21);
  EXPECT_DOUBLE_EQ(search.lines[2].points.front().y, 100);
}

TEST(TunePlot, HasAChartPerParameterCurve) {
  TunePlot plot = made_up(1);
  plot.curves = {{"tile_rows", 6, {{4, 90, ""}, {6, 100, ""}}}, {"block_k", 384, {{384, 100, ""}}}};
  const std::vector<Chart> charts = tune_charts(plot);
  ASSERT_EQ(charts.size(), 4u);
  EXPECT_NE(charts[2].title.find("tile_rows"), std::string::npos);
  EXPECT_NE(charts[3].title.find("sgemm nn 2048 x 2048 x 2048"), std::string::npos);
}

TEST(TunePlot, OfManySubjectsShowsAsManyAsCanBeToldApartAndSaysSo) {
  const Chart search = tune_charts(made_up(56)).at(1);
  ASSERT_EQ(search.lines.size(), most_series);
  EXPECT_NE(search.title.find("(8 of 56)"), std::string::npos);
  EXPECT_EQ(search.lines.front().name, "subject 0");
  EXPECT_EQ(search.lines.back().name, "subject 55");
}

TEST(TunePlot, SaysInAPanelThatThereIsNothingToDraw) {
  TunePlot plot = made_up(2);
  plot.split.clear();
  std::string picture = picture_of(plot);
  EXPECT_NE(picture.find("no split was measured"), std::string::npos);
  EXPECT_EQ(picture.find("no whole call was measured"), std::string::npos);
  plot = made_up(0);
  picture = picture_of(plot);
  EXPECT_EQ(picture.find("no split was measured"), std::string::npos);
  EXPECT_NE(picture.find("no whole call was measured"), std::string::npos);
}

TEST(TunePlot, LeavesOutWhatIsNoTimeAndSaysWhichSideWasNotMeasured) {
  TunePlot plot = made_up(1);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  for (SplitSample& s : plot.split) s.cpu_seconds = 0;
  plot.split.push_back({0.3, nan, infinite, -1});
  plot.split.push_back({7, 1, 1, 1});
  plot.progress[0].samples.push_back({infinite, nan});
  const std::vector<Chart> charts = tune_charts(plot);
  EXPECT_EQ(charts[0].lines[0].points.size(), 17u);
  EXPECT_EQ(charts[1].lines[0].points.size(), 3u);
  const std::string picture = picture_of(plot);
  EXPECT_NE(picture.find("CPU's side (not measured)"), std::string::npos);
  EXPECT_EQ(picture.find("inf"), std::string::npos);
}

TEST(TunePlot, IsOnePictureWhateverItHolds) {
  TunePlot odd = made_up(9);
  odd.title = "\xff <id> \"quoted\" " + std::string(300, 'x');
  for (const TunePlot& plot : {made_up(3), made_up(8), made_up(56), TunePlot(), odd}) {
    const std::string picture = picture_of(plot);
    EXPECT_TRUE(picture.starts_with("<svg ")) << plot.title;
    EXPECT_TRUE(picture.ends_with("</svg>\n")) << plot.title;
    EXPECT_EQ(picture.find("<id>"), std::string::npos);
  }
}

}  // namespace
}  // namespace duoblas

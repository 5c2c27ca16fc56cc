// Charts as SVG.
#include "plot/chart_svg.hpp"

#include <gtest/gtest.h>

#include "plot/made_up_charts.hpp"

namespace duoblas {
namespace {

using test::count;

TEST(ChartSvg, HasALineAndAMarkerPerPoint) {
  const std::string svg = chart_svg(test::made_up_rates());
  EXPECT_EQ(count(svg, "<polyline"), 4u) << "two lines, and two in the legend";
  EXPECT_EQ(count(svg, "<title>cpu: "), 3u);
  EXPECT_NE(svg.find("<title>hybrid: 200 at 1024</title>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(ChartSvg, IsFiniteWhereNumbersAreFarFromZeroAndCloseTogether) {
  Chart chart = test::made_up_power();
  chart.phases.clear();
  chart.lines[0].points = {{1e17, 240}, {1e17 + 64, 250}};
  EXPECT_LT(count(chart_svg(chart), "<text"), 50u);
}

TEST(ChartSvg, WithoutPointsSaysWhy) {
  Chart chart = test::made_up_search();
  chart.lines[0].points.clear();
  chart.empty_reason = "no time & no place";
  const std::string svg = chart_svg(chart);
  EXPECT_NE(svg.find("no time &amp; no place"), std::string::npos);
  EXPECT_EQ(svg.find("<polyline"), std::string::npos);
}

TEST(ChartSvg, SaysWhichLineWasNotMeasured) {
  Chart chart = test::made_up_rates();
  chart.lines[0].points.clear();
  EXPECT_NE(chart_svg(chart).find(">cpu (not measured)<"), std::string::npos);
}

TEST(ChartSvg, DrawsStepsLevelUntilTheNextValue) {
  const std::string svg = chart_svg(test::made_up_search());
  const auto from = svg.find("points=\"") + 8;
  const std::string corners = svg.substr(from, svg.find('"', from) - from);
  EXPECT_EQ(count(corners, ","), 4u) << corners;
}

}  // namespace
}  // namespace duoblas

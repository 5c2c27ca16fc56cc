// Horizontal bars as SVG.
#include <gtest/gtest.h>

#include "plot/chart_svg.hpp"
#include "plot/made_up_charts.hpp"

namespace duoblas {
namespace {

using test::count;

BarChart made_up_bars() {
  BarChart chart;
  chart.title = "steps & others";
  chart.value_label = "GFLOPS";
  chart.series = {"theirs", "ours"};
  chart.bars = {{"1  naive", 10, 9, 11, "10"},
                {.name = "2  refused", .note = "not here: <id>"},
                {.name = "3  fast", .value = 500, .note = "500", .series = 1}};
  return chart;
}

TEST(BarsSvg, HaveABoxPerValueAndANotePerBar) {
  const std::string svg = drawing_of(made_up_bars()).elements;
  EXPECT_EQ(count(svg, "<rect "), 4u) << "two bars, and two in the legend";
  EXPECT_EQ(count(svg, "<line "), 4u) << "the axis, and the quartiles of one bar";
  for (const char* word :
       {">3  fast<", ">500<", "not here: &lt;id&gt;", ">theirs<", ">ours<", "steps &amp; others"})
    EXPECT_NE(svg.find(word), std::string::npos) << word;
}

TEST(BarsSvg, OfOneSeriesHaveNoLegend) {
  BarChart chart = made_up_bars();
  chart.bars.pop_back();
  EXPECT_EQ(drawing_of(chart).elements.find(">theirs<"), std::string::npos);
}

TEST(BarsSvg, AreFiniteWhereNothingHasAValue) {
  BarChart chart = made_up_bars();
  for (ChartBar& bar : chart.bars) bar.value = bar.low = bar.high = 0;
  const std::string svg = drawing_of(chart).elements;
  EXPECT_EQ(count(svg, "<rect "), 0u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace duoblas

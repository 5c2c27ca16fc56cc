// The charts of a comparison, for gnuplot and for a page.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

#include "cli/bench/chart_script.hpp"
#include "cli/bench/chart_svg.hpp"
#include "cli/bench/comparison_charts.hpp"
#include "cli/bench/report_page.hpp"
#include "cli/bench/size_groups.hpp"
#include "cli/made_up_record.hpp"

namespace duoblas::cli {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

std::vector<ComparisonRow> rows_of(const std::vector<Shape>& shapes) {
  std::vector<ComparisonRow> rows;
  for (const Shape& shape : shapes)
    for (const char* strategy : {"cpu", "hybrid"})
      rows.push_back(made_up_row(strategy, shape, 0.01));
  return rows;
}

std::vector<std::string> labels_of(const std::vector<Shape>& shapes) {
  std::vector<std::string> labels;
  for (const SizeGroup& group : size_groups(rows_of(shapes))) labels.push_back(group.label);
  return labels;
}

TEST(SizeGroups, KeepSweepsApart) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels_of({{64, 64, 64}, {128, 128, 128}}), Labels{"m = n = k"});
  EXPECT_EQ(labels_of({{64, 8, 16}, {128, 8, 16}}), Labels{"m, n = 8, k = 16"});
  EXPECT_EQ(labels_of({{8, 64, 16}, {8, 128, 16}}), Labels{"n, m = 8, k = 16"});
  EXPECT_EQ(labels_of({{8, 16, 64}, {8, 16, 128}}), Labels{"k, m = 8, n = 16"});
  EXPECT_EQ(labels_of({{8, 16, 64}, {64, 16, 8}}), Labels{"cube root of m n k"});
  EXPECT_EQ(labels_of({{8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {64, 8, 9}, {65, 8, 9}, {66, 8, 9}}),
            (Labels{"m = n = k", "m, n = 8, k = 9"}));
}

TEST(SizeGroups, HaveAProblemOfTwoSweepsInBoth) {
  const auto groups = size_groups(
      rows_of({{8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {4, 16, 16}, {8, 16, 16}, {32, 16, 16}}));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].rows.size(), 6u);
  EXPECT_EQ(groups[1].rows.size(), 8u);
}

TEST(RateChart, HasGflopsOfEachStrategyWithQuartiles) {
  const auto charts = rate_charts(made_up_record());
  ASSERT_EQ(charts.size(), 1u);
  ASSERT_EQ(charts[0].lines.size(), 2u);
  const ChartPoint& point = charts[0].lines[1].points[2];
  EXPECT_DOUBLE_EQ(point.x, 1024);
  EXPECT_DOUBLE_EQ(point.y, 200);
  EXPECT_DOUBLE_EQ(point.low, 200 / 1.1);
  EXPECT_DOUBLE_EQ(point.high, 200 / 0.9);
  EXPECT_TRUE(charts[0].log_x);
  EXPECT_EQ(charts[0].y_label, "GFLOPS");
  EXPECT_NE(charts[0].lines[0].look, charts[0].lines[1].look);
}

TEST(SplitChart, HasMillisecondsOverPercentAndPassesByWhatWasNotMeasured) {
  const auto charts = split_charts(made_up_record());
  ASSERT_EQ(charts.size(), 1u);
  const auto& lines = charts[0].lines;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].points.size(), 3u);
  EXPECT_EQ(lines[1].points.size(), 2u);
  EXPECT_DOUBLE_EQ(lines[1].points[0].x, 50);
  EXPECT_DOUBLE_EQ(lines[1].points[0].y, 11);
  ASSERT_TRUE(charts[0].mark);
  EXPECT_EQ(charts[0].mark->text, "hybrid: 50 %");
}

TEST(PowerChart, HasWattsAndWhoWasAtWork) {
  const auto charts = power_charts(made_up_record());
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].lines[0].name, "gpu");
  EXPECT_EQ(charts[0].phases.size(), 2u);
  EXPECT_EQ(charts[0].phases[1].text, "hybrid");
}

TEST(Charts, OfWhatHasNoTimeAreLeftOut) {
  BenchRecord record = made_up_record();
  for (ComparisonRow& row : record.rows) row.recovered = true;
  record.splits[0].samples.clear();
  record.traces.clear();
  EXPECT_TRUE(comparison_charts(record).empty());
}

TEST(ChartTicks, AreFarEnoughApartToBeRead) {
  std::vector<double> sizes;
  for (int i = 1; i <= 100; ++i) sizes.push_back(64.0 * i);
  const auto ticks = readable_ticks(sizes, false);
  EXPECT_LE(ticks.size(), 13u);
  EXPECT_EQ(ticks.front(), 64);
  EXPECT_EQ(ticks.back(), 6400);
  EXPECT_EQ(readable_ticks({8, 8}, true), (std::vector<double>{8}));
}

TEST(ChartScript, IsDrawnByGnuplotInBothFormats) {
  BenchRecord odd = made_up_record();
  odd.rows = rows_of({{7, 7, 7}});
  odd.traces[0].problem = "`id` \"quoted\" " + std::string(300, 'x');
  for (const BenchRecord& record : {made_up_record(), odd}) {
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::png}) {
      const std::string script = charts_script(comparison_charts(record), "\xff `id`", format);
      try {
        EXPECT_EQ(gnuplot_picture(script).substr(0, 5),
                  format == PlotFormat::svg ? "<?xml" : "\x89PNG\r");
      } catch (const SettingError& error) {
        // gnuplot is optional.
        EXPECT_NE(std::string(error.what()).find("gnuplot-nox"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(ChartScript, OfManyChartsSaysHowManyItShows) {
  BenchRecord record = made_up_record();
  record.splits.resize(40, record.splits[0]);
  const std::string script = charts_script(split_charts(record), "many", PlotFormat::svg);
  EXPECT_NE(script.find("(16 of 40 charts)"), std::string::npos);
}

TEST(ChartSvg, HasALineAndAMarkerPerPoint) {
  const std::string svg = chart_svg(rate_charts(made_up_record())[0]);
  EXPECT_EQ(count(svg, "<polyline"), 4u) << "two lines, and two in the legend";
  EXPECT_EQ(count(svg, "<title>cpu: "), 3u);
  EXPECT_NE(svg.find("<title>hybrid: 200 at 1024</title>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(ChartSvg, IsFiniteWhereNumbersAreFarFromZeroAndCloseTogether) {
  BenchRecord record = made_up_record();
  record.traces[0].phases.clear();
  record.traces[0].lines[0].watts = {{1e17, 240}, {1e17 + 64, 250}};
  EXPECT_LT(count(chart_svg(power_charts(record)[0]), "<text"), 50u);
}

TEST(ReportPage, EscapesNamesAndRefersToNothingOutside) {
  BenchRecord record = made_up_record();
  record.rows[0].strategy = "<script>alert(1)</script>";
  const std::string page = report_page(record);
  EXPECT_NE(page.find("Paper &lt;GPU&gt;"), std::string::npos);
  EXPECT_NE(page.find("Paper CPU &amp; Sons"), std::string::npos);
  for (const char* word : {"<script", "http", "src=", "href=", "url(", "@import"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_EQ(count(page, "<svg"), 3u);
  EXPECT_EQ(count(page, "<table"), 7u) << "machine, and speed and energy of three problems";
}

TEST(ReportPage, SaysUnavailableWhereThereIsNoFigure) {
  BenchRecord record = made_up_record();
  for (ComparisonRow& row : record.rows) {
    row.energy.clear();
    row.joules = 0;
  }
  const std::string page = report_page(record);
  EXPECT_NE(page.find("<td class=\"number\">unavailable</td>"), std::string::npos);
  EXPECT_NE(page.find("system: unavailable: no battery"), std::string::npos);
}

}  // namespace
}  // namespace duoblas::cli

// The charts of a comparison, from records that are made up.
#include "cli/bench/comparison_charts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cli/bench/size_groups.hpp"
#include "cli/made_up_record.hpp"

namespace duoblas::cli {
namespace {

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

TEST(SizeGroups, AProblemThatIsInTwoSweepsIsInBothGroups) {
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

TEST(SplitChart, PlotsMillisecondsOverPercentAndSkipsMissingSamples) {
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

}  // namespace
}  // namespace duoblas::cli

// The comparison on a device, at sizes where it takes no time.
#include "tuner/comparison.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "support/standin_settings.hpp"

namespace duoblas {
namespace {

class Comparison : public test::OnStandin {};

TEST_F(Comparison, VerifiesEveryStrategyOfEveryTypeInBothLayouts) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  std::vector<ComparisonProblem> problems;
  for (const Precision p : {Precision::s, Precision::d, Precision::c, Precision::z})
    for (const Layout layout : {Layout::row_major, Layout::column_major})
      problems.push_back({p, Op::conj_transpose, Op::none, layout, 97, 111, 53});
  ComparisonOptions options;
  options.rounds = 3;
  const auto rows = compare(engine, problems, Profile{}, options);
  ASSERT_EQ(rows.size(), 6 * problems.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparisonRow& row = rows[i];
    EXPECT_EQ(row.strategy, options.strategies[i % 6]);
    EXPECT_EQ(row.ops, "cn");
    EXPECT_EQ(row.layout, i / 6 % 2 == 0 ? "row" : "column");
    EXPECT_EQ(row.m, 97);
    EXPECT_EQ(row.n, 111);
    EXPECT_EQ(row.k, 53);
    EXPECT_LT(row.error, 1) << row.strategy;
    EXPECT_FALSE(row.recovered);
    EXPECT_EQ(row.rounds, 3);
    EXPECT_GT(row.seconds, 0);
    EXPECT_LE(row.seconds_q1, row.seconds);
    EXPECT_GE(row.seconds_q3, row.seconds);
    EXPECT_GT(row.gflops, 0);
    const bool cpu = row.strategy == "cpu" || row.strategy == "cpu_all";
    EXPECT_EQ(row.kernel.empty(), cpu) << row.strategy;
    EXPECT_EQ(row.gpu_parts == 0, cpu) << row.strategy;
  }
}

TEST_F(Comparison, GivesTheSpeedUpOverTheBetterSide) {
  Engine engine(settings());
  const auto rows = compare(
      engine, {{Precision::d, Op::none, Op::none, Layout::row_major, 128, 128, 128}}, Profile{});
  const auto seconds = [&](const std::string& strategy) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const ComparisonRow& r) { return r.strategy == strategy; })
        ->seconds;
  };
  const double side = std::min(seconds("cpu"), seconds("gpu"));
  for (const ComparisonRow& row : rows) EXPECT_DOUBLE_EQ(row.speedup, side / row.seconds);
}

TEST_F(Comparison, MeasuresTheCpuAloneWhereThereIsNoDevice) {
  Settings none;
  none.device = "none";
  Engine engine(none);
  ComparisonOptions options;
  options.rounds = 2;
  const auto rows =
      compare(engine, {{Precision::s, Op::none, Op::transpose, Layout::row_major, 64, 64, 64}},
              Profile{}, options);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].strategy, "cpu");
  EXPECT_EQ(rows[1].strategy, "cpu_all");
  for (const ComparisonRow& row : rows) EXPECT_LT(row.error, 1);
}

TEST_F(Comparison, ShowsWhatACallGetsThatAsksForNothing) {
  Settings as_tuned = settings();
  as_tuned.adapt = false;
  Engine engine(as_tuned);
  ComparisonOptions options;
  options.strategies = {"gpu", "auto"};
  options.rounds = 2;
  const auto rows =
      compare(engine, {{Precision::s, Op::none, Op::none, Layout::row_major, 48, 48, 48}},
              Profile{}, options);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].strategy, "auto");
  EXPECT_EQ(rows[1].gpu_parts, 0) << "far below any crossover, also that of a shipped profile";
  EXPECT_TRUE(rows[1].kernel.empty());
  EXPECT_LT(rows[1].error, 1);
}

TEST_F(Comparison, RefusesAStrategyThatItDoesNotKnow) {
  Engine engine(settings());
  ComparisonOptions options;
  options.strategies = {"fastest"};
  EXPECT_THROW(compare(engine, {ComparisonProblem{.m = 8, .n = 8, .k = 8}}, Profile{}, options),
               SettingError);
}

}  // namespace
}  // namespace duoblas

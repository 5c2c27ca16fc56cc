// gemv's strategies on a device, at sizes where they take no time.
#include "tuner/gemv_comparison.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "support/standin_settings.hpp"

namespace duoblas {
namespace {

class GemvStrategies : public test::OnStandin {
 protected:
  static ComparisonOptions all() {
    ComparisonOptions options;
    options.strategies = gemv_strategy_names();
    options.rounds = 3;
    return options;
  }
};

TEST_F(GemvStrategies, AreVerifiedOfEveryTypeAndOpInBothLayouts) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (const Precision p : all_precisions)
    for (const Op op : {Op::none, Op::transpose, Op::conj_transpose})
      for (const Layout layout : {Layout::row_major, Layout::column_major}) {
        const ComparisonProblem problem{p, op, Op::none, layout, 517, 311, 1, "gemv"};
        const auto rows = compare_gemv(engine, problem, all());
        ASSERT_EQ(rows.size(), gemv_strategy_names().size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const ComparisonRow& row = rows[i];
          EXPECT_EQ(row.strategy, gemv_strategy_names()[i]);
          EXPECT_EQ(row.routine, "gemv");
          EXPECT_EQ(row.m, 517);
          EXPECT_EQ(row.n, 311);
          EXPECT_LT(row.error, 1) << row.strategy << gemv_case_text(problem);
          EXPECT_FALSE(row.recovered) << row.strategy;
          EXPECT_EQ(row.rounds, 3);
          EXPECT_GT(row.seconds, 0);
          const bool alone = row.strategy == "gpu" || row.strategy == "prepared";
          if (row.strategy != "auto" && row.strategy != "hybrid") {
            EXPECT_EQ(row.gpu_parts == row.parts, alone) << row.strategy;
            EXPECT_EQ(row.kernel.empty(), !alone) << row.strategy;
          }
        }
      }
}

TEST_F(GemvStrategies, NeedNoDeviceWhereThereIsNone) {
  Settings none = settings();
  none.standin = false;
  none.device = "none";
  Engine engine(none);
  const auto rows = compare_gemv(
      engine, {Precision::d, Op::none, Op::none, Layout::row_major, 40, 30, 1, "gemv"}, all());
  ASSERT_EQ(rows.size(), 3u) << "cpu, cpu_all and auto";
  for (const ComparisonRow& row : rows) EXPECT_LT(row.error, 1) << row.strategy;
}

TEST_F(GemvStrategies, OfAnUnknownNameAreRefused) {
  Engine engine(settings());
  ComparisonOptions options;
  options.strategies = {"simple"};
  EXPECT_THROW(
      compare_gemv(engine, {Precision::s, Op::none, Op::none, Layout::row_major, 9, 9, 1, "gemv"},
                   options),
      SettingError);
}

TEST(GemvBytes, AreOfTheMatrixAndBothVectors) {
  EXPECT_EQ(gemv_bytes(Precision::z, 10, 20), 16.0 * (200 + 10 + 20));
}

}  // namespace
}  // namespace duoblas

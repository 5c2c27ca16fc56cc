// What one parameter of a kernel of gemv is worth, the others as in the best one.
#include "tuner/gemv_curves.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

DeviceLimits gpu() {
  DeviceLimits limits;
  limits.max_work_group_size = 256;
  limits.local_memory_bytes = 48 << 10;
  return limits;
}

std::vector<int> values_of(const std::vector<GemvKernel>& kernels, int GemvKernel::*field) {
  std::vector<int> values;
  for (const GemvKernel& kernel : kernels) values.push_back(kernel.*field);
  return values;
}

TEST(GemvCurves, LookAtWhatTheDeviceCanLaunchAroundTheBest) {
  const GemvKernel best{4, 8, 16, 1, 6};
  const auto around = [&](int GemvKernel::*field, std::size_t most = 11) {
    return values_of(gemv_neighbours(best, field, gpu(), Precision::s, true, most), field);
  };
  EXPECT_EQ(around(&GemvKernel::across), (std::vector{1, 2, 4, 8, 16})) << "256 work-items";
  EXPECT_EQ(around(&GemvKernel::unroll), (std::vector{1, 2, 4, 6, 8, 16}));
  EXPECT_EQ(around(&GemvKernel::unroll, 3), (std::vector{4, 6, 8}));
  EXPECT_EQ(around(&GemvKernel::inline_sizes), (std::vector{0, 1}));
  EXPECT_EQ(around(&GemvKernel::image), (std::vector{0})) << "there are none";
  for (const GemvKernel& kernel :
       gemv_neighbours(best, &GemvKernel::lines, gpu(), Precision::s, true)) {
    GemvKernel same = kernel;
    same.lines = best.lines;
    EXPECT_EQ(same, best);
  }
}

TEST(GemvCurves, OfASearchHaveTheKernelsThatDifferInOneParameterOnly) {
  const GemvKernel best{4, 64, 1, 2};
  const auto curves = searched_curves({{best, 1e-3},
                                       {{4, 64, 1, 4}, 2e-3},
                                       {{4, 64, 1, 1}, 4e-3},
                                       {{2, 64, 1, 2}, 5e-3},
                                       {{2, 64, 1, 4}, 6e-3}},
                                      best, 8e6);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].field, "lines");
  EXPECT_EQ(curves[0].chosen, 2);
  ASSERT_EQ(curves[0].rates.size(), 3u);
  EXPECT_EQ(curves[0].rates[0].value, 1);
  EXPECT_DOUBLE_EQ(curves[0].rates[0].rate, 2);
  EXPECT_DOUBLE_EQ(curves[0].rates[1].rate, 8);
  EXPECT_EQ(curves[1].field, "vector_width");
  EXPECT_EQ(curves[1].rates.size(), 2u);
}

GemvFinding finding(bool transposes, std::vector<FieldCurve> curves) {
  GemvFinding f;
  f.transposes = transposes;
  f.curves = std::move(curves);
  return f;
}

TEST(GemvCurves, OfOneParameterAreOneChartWithALineForEachForm) {
  const auto charts =
      gemv_charts({finding(false, {{"lines", 1, {{1, 9, ""}, {2, 8, ""}}}}),
                   finding(true, {{"teams", 64, {{32, 5, ""}, {64, 7, ""}}},
                                  {"lines", 2, {{1, 6, ""}, {2, 0, "it hangs"}, {16, 7, ""}}}})});
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].x_label, "lines");
  ASSERT_EQ(charts[0].lines.size(), 2u);
  EXPECT_EQ(charts[0].lines[0].name, "sgemv n (chosen: 1)");
  EXPECT_EQ(charts[0].lines[1].name, "sgemv t (chosen: 2)");
  EXPECT_NE(charts[0].lines[0].look, charts[0].lines[1].look);
  EXPECT_EQ(charts[0].lines[1].points.size(), 2u) << "what was not measured is no point";
  EXPECT_EQ(charts[0].x_ticks, (std::vector<double>{1, 2, 16}));
  EXPECT_TRUE(charts[0].log_x);
  EXPECT_EQ(charts[1].x_label, "teams");
  EXPECT_FALSE(charts[1].log_x);
}

}  // namespace
}  // namespace duoblas

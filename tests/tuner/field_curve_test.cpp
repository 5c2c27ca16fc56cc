// What one kernel parameter is worth, the others as they are in the best kernel.
#include "tuner/field_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

const KernelField& field_named(std::string_view name) {
  return *std::ranges::find(kernel_fields(), name, &KernelField::name);
}

KernelParams panel() {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.vector_bytes = 64;
  return default_kernel(Precision::s, limits);
}

KernelParams changed(KernelParams kernel, std::string_view field, int value) {
  field_named(field).set(kernel, value);
  return kernel;
}

// Kernels of one sharing mode, with the seconds of a call of the GPU alone; 0: none was made.
Recording recording(const std::vector<std::pair<KernelParams, double>>& measured) {
  Recording made;
  made.space.sharings = {SharingMode::staged, SharingMode::host_pointer};
  for (const auto& [kernel, seconds] : measured) {
    const auto place = static_cast<int>(made.space.kernels.size());
    made.space.kernels.push_back(kernel);
    if (seconds > 0) made.trials[gpu_trial(place, 1)] = {{seconds, seconds, 0, 0}};
  }
  return made;
}

TEST(FieldCurve, HasTheKernelsThatDifferFromTheBestInOneFieldOnly) {
  const KernelParams best = changed(panel(), "tile_rows", 6);
  const Recording made = recording({{changed(best, "tile_rows", 8), 4},
                                    {best, 2},
                                    {changed(best, "tile_rows", 4), 2.5},
                                    {changed(best, "block_k", 256), 2.1},
                                    {changed(changed(best, "block_k", 512), "tile_rows", 5), 1},
                                    {changed(best, "tile_rows", 7), 0}});
  const TunedChoice choice{best, SharingMode::host_pointer, {16, 16}, 2, 0};
  const auto curves = recorded_field_curves(made, choice, 10e9);
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].field, "tile_rows");
  EXPECT_EQ(curves[0].chosen, 6);
  ASSERT_EQ(curves[0].rates.size(), 3u);
  EXPECT_EQ(curves[0].rates[0].value, 4);
  EXPECT_DOUBLE_EQ(curves[0].rates[0].rate, 4);
  EXPECT_DOUBLE_EQ(curves[0].rates[1].rate, 5);
  EXPECT_DOUBLE_EQ(curves[0].rates[2].rate, 2.5);
  EXPECT_EQ(curves[1].field, "block_k");
  EXPECT_EQ(curves[1].rates.size(), 2u);
}

TEST(FieldCurve, IsNotThereWhereTheBestWasNotMeasuredThatWay) {
  const KernelParams best = panel();
  const Recording made = recording({{best, 0}, {changed(best, "tile_rows", 4), 1}});
  EXPECT_TRUE(recorded_field_curves(made, {best, SharingMode::host_pointer, {}, 0, 0}, 1).empty());
  const Recording other = recording({{best, 1}, {changed(best, "tile_rows", 4), 1}});
  EXPECT_TRUE(recorded_field_curves(other, {best, SharingMode::pinned, {}, 0, 0}, 1).empty())
      << "nothing of this sharing mode";
}

TEST(FieldCurve, LooksAtTheLegalValuesAroundTheBest) {
  DeviceLimits limits;
  limits.is_cpu = true;
  limits.vector_bytes = 64;
  const KernelField& rows = field_named("tile_rows");
  for (const int own : {rows.values.front(), 6, rows.values.back()}) {
    const auto near =
        field_neighbours(changed(panel(), "tile_rows", own), rows, Precision::s, limits, 5);
    ASSERT_EQ(near.size(), 5u);
    EXPECT_TRUE(std::ranges::any_of(near, [&](const auto& n) { return n.second.value == own; }));
    for (std::size_t i = 0; i < near.size(); ++i) {
      EXPECT_EQ(rows.get(near[i].first), near[i].second.value);
      EXPECT_EQ(near[i].second.reason.empty(),
                violated_rule(near[i].first, Precision::s, limits) == nullptr);
      if (i > 0) {
        EXPECT_LT(near[i - 1].second.value, near[i].second.value);
      }
    }
  }
  const KernelField& widths = field_named("vector_width");
  const auto all = field_neighbours(panel(), widths, Precision::s, limits);
  EXPECT_EQ(all.size(), widths.values.size());
}

TEST(FieldCurve, IsAChartWithTheChosenValueMarked) {
  const FieldCurve curve{"k_unroll", 4, {{1, 50, ""}, {2, 0, "no"}, {4, 90, ""}, {16, 70, ""}}};
  const Chart chart = field_chart(curve, "sgemm nn 64 x 64 x 64");
  EXPECT_NE(chart.title.find("k_unroll"), std::string::npos);
  EXPECT_NE(chart.title.find("sgemm nn 64 x 64 x 64"), std::string::npos);
  ASSERT_EQ(chart.lines.size(), 1u);
  EXPECT_EQ(chart.lines[0].points.size(), 3u) << "what was not measured is no point";
  EXPECT_TRUE(chart.log_x);
  ASSERT_TRUE(chart.mark);
  EXPECT_EQ(chart.mark->text, "chosen: 4");
  EXPECT_FALSE(has_points(field_chart({"k_unroll", 4, {}}, "")));
}

}  // namespace
}  // namespace duoblas

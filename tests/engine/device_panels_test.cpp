// getrf on a copy whose panels the device factorises (gpu/lapack/panels_on_device.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "support/lapack_case.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

/// The number of groups with which a test may run here: of other drivers it is not known whether
/// two of them run at the same time.
int groups_here(Engine& engine) {
  const cl::DeviceInfo& info = engine.gpu()->info();
  const OpenedDevice& device = *engine.gpu()->device();
  if (device.limits.shuffle_width == 32) return device.limits.compute_units;
  const bool is_pocl = info.platform.find("Portable Computing Language") != std::string::npos;
  return is_pocl && device.limits.compute_units > 1 ? 2 : 1;
}

/// Panels of matrices with `least` rows and columns have 32 columns, two leaves. Where groups are
/// small, or the widest ones are, as on llvmpipe, the host has them all the same.
class PanelsOnDeviceTest : public testing::Test {
 protected:
  static constexpr std::int64_t least = 256, first_panel = 32;
  void SetUp() override {
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    panels().groups = groups_here(engine);
  }
  PanelAbility& panels() { return engine.gpu()->device()->panels; }
  std::int64_t most_rows() { return panels().groups * std::int64_t{panels().rows_of_group}; }
  Engine engine{forced_lapack(CheckMode::off)};
};

template <typename Body>
void for_real_types_of_device(Engine& engine, Body&& body) {
  body(float());
  if (engine.gpu()->info().has_fp64) body(double());
}

template <typename T>
LapackOutcome run_here(Engine& engine, General<T>& matrix) {
  LapackOutcome did = run(engine, matrix.problem(), MatrixHome::copied);
  EXPECT_TRUE(did.outcome.used_gpu);
  EXPECT_FALSE(did.outcome.recovered);
  return did;
}

template <typename T>
void expect_right(Engine& engine, std::int64_t rows, std::int64_t columns) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
  General<T> ours(rows, columns, 3, 17), lapacks = ours;
  EXPECT_EQ(run_here(engine, ours).info, 0);
  EXPECT_LT(ours.error(), most_error);
  EXPECT_TRUE(ours.factors.guards_untouched());
  engine.cpu().run(lapacks.problem(), engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
  EXPECT_EQ(ours.pivots, lapacks.pivots);
}

TEST_F(PanelsOnDeviceTest, AreRightForEveryShape) {
  const std::int64_t most = std::clamp<std::int64_t>(most_rows(), 2 * least, 1024);
  for_real_types_of_device(engine, [&](auto zero) {
    for (const auto& [rows, columns] :
         {std::pair{most, most}, {most - 1, most / 2 + 3}, {most - 70, least + 30}, {least, least}})
      expect_right<decltype(zero)>(engine, rows, columns);
  });
}

TEST_F(PanelsOnDeviceTest, LeaveNothingToTheHost) {
  if (most_rows() < 2 * least) return;
  for_real_types_of_device(engine, [&](auto zero) {
    General<decltype(zero)> matrix(least, least, 1, 5);
    const Decision decision = decide(engine, matrix.problem(), MatrixHome::copied);
    const auto& call = std::get<DeviceFactorisation>(decision.steps.at(0));
    EXPECT_TRUE(make_factors(engine.gpu()->device(), call.problem, call.plan.kernel, call.width)
                    ->makes_panels());
  });
}

// Each row is there twice: of the two the one whose place is first must be the pivot. In the first
// panel, since products may round equal rows differently behind it.
TEST_F(PanelsOnDeviceTest, TakeTheFirstOfEqualCandidates) {
  const std::int64_t columns = least, rows = 2 * columns;
  for_real_types_of_device(engine, [&](auto zero) {
    General<decltype(zero)> matrix(rows, columns, 1, 5);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < columns; ++i) matrix.a.at(j, i + columns) = matrix.a.at(j, i);
    matrix.restore();
    EXPECT_EQ(run_here(engine, matrix).info, 0);
    std::vector<std::int64_t> row_of(static_cast<std::size_t>(rows));
    std::iota(row_of.begin(), row_of.end(), 0);
    for (std::int64_t j = 0; j < first_panel; ++j) {
      const std::int64_t pivot = matrix.pivots[static_cast<std::size_t>(j)] - 1;
      const std::int64_t twin = (row_of[static_cast<std::size_t>(pivot)] + columns) % rows;
      const auto place = std::find(row_of.begin(), row_of.end(), twin) - row_of.begin();
      ASSERT_LT(pivot, place) << "column " << j;
      std::swap(row_of[static_cast<std::size_t>(j)], row_of[static_cast<std::size_t>(pivot)]);
    }
  });
}

// As the host's panels have it: NaN is no candidate while there is a number. Behind the first panel
// the host's may have more NaN: there rows of U are multiplied by an inverse.
TEST_F(PanelsOnDeviceTest, HaveThePivotsOfTheHostsPanelsWithNan) {
  const std::int64_t n = std::clamp<std::int64_t>(most_rows() - 1, least, 700);
  for_real_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> ours(n, least, 0, 9);
    for (std::int64_t i = 0; i < n; i += 50) ours.a.at(i / 3 % least, i) = nan_value<T>();
    ours.restore();
    General<T> hosts = ours;
    run_here(engine, ours);
    const int groups = panels().groups.exchange(0);
    run_here(engine, hosts);
    panels().groups = groups;
    const auto of_first_panel = [](const General<T>& matrix) {
      return std::vector(matrix.pivots.begin(), matrix.pivots.begin() + first_panel);
    };
    EXPECT_EQ(of_first_panel(ours), of_first_panel(hosts));
    for (std::int64_t j = 0; j < first_panel; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(is_nan(ours.factors.at(j, i)), is_nan(hosts.factors.at(j, i))) << i << ", " << j;
  });
}

TEST_F(PanelsOnDeviceTest, SayTheFirstZeroPivotAndGoOn) {
  for_real_types_of_device(engine, [&](auto of_type) {
    for (const std::int64_t zero : {0, 40, 77, 250}) {
      General<decltype(of_type)> matrix(least + 10, least, 0, 5);
      for (std::int64_t i = 0; i < least + 10; ++i) matrix.a.at(zero, i) = matrix.a.at(251, i) = 0;
      matrix.restore();
      EXPECT_EQ(run_here(engine, matrix).info, zero + 1);
      EXPECT_LT(matrix.error(), most_error);
    }
  });
}

TEST_F(PanelsOnDeviceTest, DivideBySmallPivots) {
  for_real_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> matrix(least, least, 0, 3);
    for (std::int64_t j = 0; j < least; ++j)
      for (std::int64_t i = 0; i < least; ++i)
        matrix.a.at(j, i) *= std::numeric_limits<T>::min() * 4;
    matrix.restore();
    EXPECT_EQ(run_here(engine, matrix).info, 0);
    for (std::int64_t j = 0; j < least; ++j)
      for (std::int64_t i = 0; i < least; ++i) ASSERT_TRUE(std::isfinite(matrix.factors.at(j, i)));
  });
}

// The inverse of L's triangle has numbers up to 2^28.
TEST_F(PanelsOnDeviceTest, NeedNoWellConditionedTriangle) {
  for_real_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    General<T> ours(least, least, 0, 3);
    for (std::int64_t j = 0; j < 30; ++j)
      for (std::int64_t i = 0; i < least; ++i)
        ours.a.at(j, i) = static_cast<T>(i == j ? 1 : i > j && i < 30 ? -1 : 0);
    ours.restore();
    General<T> lapacks = ours;
    EXPECT_EQ(run_here(engine, ours).info, 0);
    engine.cpu().run(lapacks.problem(),
                     engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
    EXPECT_LT(ours.error(), 4 * lapacks.error() + 1);
  });
}

// The device solves with the factors that it has. There is nothing behind the last panel.
TEST_F(PanelsOnDeviceTest, AreSolvedWith) {
  for_real_types_of_device(engine, [&](auto zero) {
    using T = decltype(zero);
    for (const std::int64_t n : {least, least + 5}) {
      General<T> matrix(n, n, 0, 3);
      Columns<T> b(70, n);
      b.randomise(4);
      Columns<T> x = b;
      LapackProblem p = matrix.problem(LapackRoutine::gesv);
      with_right_sides(p, x);
      const LapackOutcome did = run(engine, p, MatrixHome::copied);
      EXPECT_TRUE(did.outcome.used_gpu);
      EXPECT_FALSE(did.outcome.recovered);
      EXPECT_LT(residual(matrix.a, x, b), most_error);
      EXPECT_LT(matrix.error(), most_error);
    }
  });
}

// The CPU does what is left of the call. Later ones have the host's panels.
TEST_F(PanelsOnDeviceTest, AreTheHostsOnceGroupsDidNotSeeEachOther) {
  if (most_rows() < 2 * least) return;  // they are the host's anyway
  for_real_types_of_device(engine, [&](auto zero) {
    Engine other(forced_lapack(CheckMode::off));
    PanelAbility& ability = other.gpu()->device()->panels;
    ability.groups = groups_here(other);
    General<decltype(zero)> matrix(least + 44, least + 44, 2, 3);
    run_here(other, matrix);
    ability.polls = 0;
    matrix.restore();
    const LapackOutcome did = run(other, matrix.problem(), MatrixHome::copied);
    EXPECT_EQ(did.info, 0);
    EXPECT_TRUE(did.outcome.recovered);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_TRUE(matrix.factors.guards_untouched());
    EXPECT_EQ(ability.groups, 0);
  });
}

// That says nothing about the kernel, so the device is not given up for it.
TEST_F(PanelsOnDeviceTest, AreTheHostsOnceGroupsDidNotSeeEachOtherInTheTrial) {
  if (most_rows() < 2 * least) return;
  for_real_types_of_device(engine, [&](auto zero) {
    Engine other(forced_lapack());
    PanelAbility& ability = other.gpu()->device()->panels;
    ability.groups = groups_here(other);
    ability.polls = 0;
    General<decltype(zero)> matrix(least + 44, least + 44, 2, 3);
    const LapackOutcome did = run(other, matrix.problem(), MatrixHome::copied);
    EXPECT_TRUE(did.outcome.used_gpu);
    EXPECT_FALSE(did.outcome.recovered);
    EXPECT_LT(matrix.error(), most_error);
    EXPECT_EQ(ability.groups, 0);
  });
}

// Only planned: so on any device.
TEST(PlansOfLu, CountTheDevicesPanelsWhereItMakesThem) {
  Engine engine(learning_settings());
  Profile profile = flattering_profile(engine);
  for (TunedPoint& point : profile.points) {
    point.cpu_seconds = 1;
    point.hybrid.seconds = point.simple.seconds = 0.9;
    point.gpu.seconds = 0.05;
  }
  engine.facts().adopt(profile);
  General<float> matrix(1024, 1024, 0, 3);
  PanelAbility& ability = engine.gpu()->device()->panels;
  const auto expected = [&](int groups, int rows_of_group) {
    ability.groups = groups;
    ability.rows_of_group = rows_of_group;
    const Decision decision = decide(engine, matrix.problem(), MatrixHome::copied);
    EXPECT_TRUE(decision.uses_gpu());
    return decision.plan.expected_seconds;
  };
  const double hosts = expected(0, 64), devices = expected(16, 64);
  EXPECT_GT(devices, 0);
  EXPECT_GT(hosts, devices + 1024 * 1e-6);
  EXPECT_EQ(expected(15, 64), hosts) << "not all rows of a panel have a group";
}

}  // namespace
}  // namespace duoblas::test

// Time models of a side's time through what was measured.
#include "planner/time_model.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

constexpr TimeModel::Terms expected = {1e-5, 0, 1e-10, 1e-10, 1e-10, 1e-9, 0};

WorkSizes sizes(double m, double n, double k) {
  WorkSizes s;
  s.m = s.padded_m = m;
  s.n = s.padded_n = n;
  s.k = k;
  return s;
}

const std::vector<WorkSizes> tuned = {
    sizes(512, 512, 512),  sizes(1024, 1024, 1024), sizes(2048, 2048, 2048), sizes(4096, 256, 512),
    sizes(256, 4096, 512), sizes(2048, 2048, 64),   sizes(256, 256, 8192)};

std::vector<TimedWork> timed(const TimeModel& truth) {
  std::vector<TimedWork> timings;
  for (const WorkSizes& s : tuned) timings.push_back({s, truth.seconds(s)});
  return timings;
}

TEST(TimeModel, IsFoundAgainFromItsTimings) {
  const TimeModel truth{{2e-5, 1e-11, 2e-10, 4e-10, 3e-10, 5e-9, 0}, true};
  const TimeModel time_model = fitted_time_model(timed(truth), expected);
  for (const WorkSizes& s : {sizes(256, 256, 256), sizes(300, 2300, 700), sizes(2300, 200, 200)})
    EXPECT_NEAR(time_model.seconds(s) / truth.seconds(s), 1.0, 0.05)
        << s.m << ' ' << s.n << ' ' << s.k;
}

TEST(TimeModel, IsNeverFasterForMoreWork) {
  // Timings that no such model has: twice the work in half of the time.
  std::vector<TimedWork> timings = {{sizes(512, 512, 512), 4e-3}, {sizes(1024, 1024, 1024), 2e-3}};
  const TimeModel time_model = fitted_time_model(timings, expected);
  for (const double coefficient : time_model.coefficients) EXPECT_GE(coefficient, 0);
  EXPECT_GT(time_model.seconds(sizes(4096, 4096, 4096)),
            time_model.seconds(sizes(2048, 4096, 4096)));
}

TEST(TimeModel, TakesFromOnePointItsRateAndWhatIsExpectedOtherwise) {
  const std::vector<TimedWork> one = {{sizes(2048, 2048, 2048), 0.1}};
  const TimeModel time_model = fitted_time_model(one, expected);
  EXPECT_NEAR(time_model.seconds(sizes(2048, 2048, 2048)), 0.1, 1e-4);
  EXPECT_NEAR(time_model.coefficients[0], expected[0], 0.1 * expected[0]);
}

TEST(TimeModel, IsUnknownWhereNothingWasMeasured) {
  const std::vector<TimedWork> none = {{sizes(512, 512, 512), 0}};
  EXPECT_FALSE(fitted_time_model(none, expected).known);
  EXPECT_TRUE(std::isinf(fitted_time_model(none, expected).seconds(sizes(512, 512, 512))));
}

}  // namespace
}  // namespace duoblas

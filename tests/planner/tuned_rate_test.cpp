// The rate of a device, from its profile.
#include "planner/point_timings.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace duoblas {
namespace {

TEST(TunedRate, IsOfTheLargestProductOfItsType) {
  Profile profile;
  for (const auto& [n, seconds] : {std::pair{100, 1e-4}, {1000, 1e-2}, {500, 1e-6}}) {
    TunedPoint point;
    point.m = point.n = point.k = n;
    point.gpu.seconds = seconds;
    profile.points.push_back(point);
  }
  EXPECT_DOUBLE_EQ(tuned_gpu_rate(profile, Precision::s), 2e9 / 1e-2);
  EXPECT_EQ(tuned_gpu_rate(profile, Precision::d), 0);
}

}  // namespace
}  // namespace duoblas

// What one of several processes has of a tuned machine.
#include "profile/profile_part.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

Profile tuned() {
  Profile profile;
  TunedPoint point;
  point.m = point.n = point.k = 1024;
  point.hybrid.seconds = point.simple.seconds = 4;
  point.gpu.seconds = 6;
  point.gpu_side_seconds = 4;
  point.cpu_side_seconds = 3;
  point.cpu_seconds = point.cpu_all_seconds = 12;
  point.uses[KernelUse::update].seconds = 5;
  profile.points = {point};
  profile.crossover_flops[0] = 100;
  profile.updates[0] = {1, 2, 3, 4, 5};
  profile.memory.cpu = 7;
  return profile;
}

TEST(ProfileOfAPart, HasTheTimesOfSlowerSides) {
  const Profile part = for_sides(tuned(), {.cpu = 2, .gpu = 3});
  const TunedPoint& point = part.points.front();
  EXPECT_EQ(point.cpu_seconds, 24);
  EXPECT_EQ(point.cpu_all_seconds, 24);
  EXPECT_EQ(point.cpu_side_seconds, 6);
  EXPECT_EQ(point.gpu.seconds, 18);
  EXPECT_EQ(point.gpu_side_seconds, 12);
  EXPECT_EQ(point.hybrid.seconds, 12) << "the slower side ends it";
  EXPECT_EQ(point.uses.at(KernelUse::update).seconds, 15);
  EXPECT_EQ(part.crossover_flops[0], 150);
  EXPECT_EQ(part.updates[0].cpu_adds, 6);
  EXPECT_EQ(part.updates[0].gpu_writes, 12);
  EXPECT_EQ(part.updates[0].c_bytes, 1);
  EXPECT_EQ(part.memory.cpu, 7);
}

TEST(ProfileOfAPart, IsTheWholeWhereBothSidesAreAsFast) {
  EXPECT_EQ(to_json(for_sides(tuned(), {})), to_json(tuned()));
}

TEST(ProfileOfAPart, KnowsForHowManyCoresItWasTuned) {
  EXPECT_EQ(cores_in_key("AMD EPYC 9554 x16"), 16);
  EXPECT_EQ(cores_in_key("Intel(R) Xeon(R) Processor"), 0);
  EXPECT_EQ(cores_in_key(""), 0);
}

TEST(ProfileDigest, TellsProfilesApart) {
  const std::string digest = profile_digest(tuned());
  EXPECT_EQ(digest.size(), 16u);
  EXPECT_EQ(digest, profile_digest(tuned()));
  EXPECT_NE(digest, profile_digest(for_sides(tuned(), {.gpu = 2})));
  Profile on_other_cores = tuned();
  for (CpuConfig& config : on_other_cores.cpu) config.cores = {4, 5};
  EXPECT_EQ(digest, profile_digest(on_other_cores)) << "ranks are bound to different ones";
}

}  // namespace
}  // namespace duoblas

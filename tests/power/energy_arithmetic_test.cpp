#include <gtest/gtest.h>

#include <limits>

#include "power/power_integral.hpp"
#include "power/power_sensor.hpp"
#include "power/rising_counter.hpp"

namespace duoblas::power {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

TEST(RisingCounter, StartsAtNothingWhateverTheRegisterHolds) {
  RisingCounter counter(never);
  EXPECT_EQ(counter.joules(10, 123456), 0);
  EXPECT_EQ(counter.joules(11, 123500), 44);
}

TEST(RisingCounter, GoesOnWhereTheRegisterWrapsAround) {
  RisingCounter counter(65532);
  counter.joules(0, 65500);
  EXPECT_EQ(counter.joules(1, 8), 40);
  EXPECT_EQ(counter.joules(2, 108), 140);
}

TEST(RisingCounter, DoesNotTakeAResetForAWrapAround) {
  RisingCounter counter(262143);
  counter.joules(0, 100'000);
  EXPECT_THROW(counter.joules(1, 5), SensorError);
}

TEST(RisingCounter, DoesNotGuessHowOftenItWrappedAroundUnseen) {
  RisingCounter counter(65532);
  counter.joules(0, 100);
  EXPECT_THROW(counter.joules(60, 200), SensorError);
}

TEST(RisingCounter, WithoutARangeNeverGoesBack) {
  RisingCounter counter(never);
  counter.joules(0, 100);
  EXPECT_THROW(counter.joules(1, 99), SensorError);
}

TEST(RisingCounter, RefusesWhatNoMachineDraws) {
  RisingCounter counter(never);
  counter.joules(0, 0);
  EXPECT_THROW(counter.joules(1, 1e6), SensorError);
}

TEST(PowerIntegral, AddsUpTrapezoids) {
  PowerIntegral integral;
  EXPECT_EQ(integral.joules(5, 10), 0);
  EXPECT_DOUBLE_EQ(integral.joules(6, 20), 15);
  EXPECT_DOUBLE_EQ(integral.joules(6.5, 20), 25);
}

TEST(PowerIntegral, RefusesAGapOfWhichNothingIsKnown) {
  PowerIntegral integral;
  integral.joules(0, 10);
  EXPECT_THROW(integral.joules(30, 10), SensorError);
}

TEST(PowerIntegral, RefusesNegativePower) {
  PowerIntegral integral;
  EXPECT_THROW(integral.joules(0, -1), SensorError);
}

TEST(Resolution, IsSaidWithUnits) {
  SensorInfo info;
  info.update_seconds = 1e-3;
  info.step_joules = 61e-6;
  EXPECT_EQ(resolution(info), "counted, every 1 ms, in steps of 61 uJ");
  info.counts = false;
  info.update_seconds = 1;
  info.step_joules = 0;
  EXPECT_EQ(resolution(info), "watts over time, every 1 s");
}

}  // namespace
}  // namespace duoblas::power

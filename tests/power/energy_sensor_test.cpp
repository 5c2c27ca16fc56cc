// What a sensor makes of its gauges, and what it refuses to make up.
#include "power/energy_sensor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "simulated_sensor.hpp"

namespace duoblas::power {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A sensor of one gauge, which is told the time and the value.
class Told {
 public:
  explicit Told(bool counts, double range = never)
      : sensor_(info(counts), [this] { return seconds_; }, {{[this] { return value_; }, range}}) {}
  double at(double seconds, double value) {
    seconds_ = seconds;
    value_ = value;
    return sensor_.read().joules;
  }

 private:
  static SensorInfo info(bool counts) {
    SensorInfo made = made_up(Domain::gpu, 1e-3);
    made.counts = counts;
    return made;
  }
  double seconds_ = 0;
  double value_ = 0;
  EnergySensor sensor_;
};

TEST(Counter, StartsAtNothingWhateverTheRegisterHolds) {
  Told counter(true);
  EXPECT_EQ(counter.at(10, 123456), 0);
  EXPECT_EQ(counter.at(11, 123500), 44);
}

TEST(Counter, GoesOnWhereTheRegisterWrapsAround) {
  Told counter(true, 65532);
  counter.at(0, 65500);
  EXPECT_EQ(counter.at(1, 8), 40);
  EXPECT_EQ(counter.at(2, 108), 140);
}

TEST(Counter, DoesNotTakeAResetForAWrapAround) {
  Told counter(true, 262143);
  counter.at(0, 100'000);
  EXPECT_THROW(counter.at(1, 5), SensorError);
}

TEST(Counter, DoesNotGuessHowOftenItWrappedAroundUnseen) {
  Told counter(true, 65532);
  counter.at(0, 100);
  EXPECT_THROW(counter.at(60, 200), SensorError);
}

TEST(Counter, WithoutARangeNeverGoesBack) {
  Told counter(true);
  counter.at(0, 100);
  EXPECT_THROW(counter.at(1, 99), SensorError);
}

TEST(Counter, RefusesWhatNoMachineDraws) {
  Told counter(true);
  counter.at(0, 0);
  EXPECT_THROW(counter.at(1, 1e6), SensorError);
}

TEST(Watts, AreAddedUpByTrapezoids) {
  Told watts(false);
  EXPECT_EQ(watts.at(5, 10), 0);
  EXPECT_DOUBLE_EQ(watts.at(6, 20), 15);
  EXPECT_DOUBLE_EQ(watts.at(6.5, 20), 25);
}

TEST(Watts, AreUnknownAcrossALongGap) {
  Told watts(false);
  watts.at(0, 10);
  EXPECT_THROW(watts.at(30, 10), SensorError);
}

TEST(Watts, AreNeverNegative) {
  EXPECT_THROW(Told(false).at(0, -1), SensorError);
}

TEST(SeenUpdates, AreTheUsualOnesThoughOneWasSeenASecondTooLate) {
  int looks = 0;
  const double seen = seen_update_seconds(
      [&] {
        if (++looks == 5) std::this_thread::sleep_for(std::chrono::seconds(1));
        return looks / 2;
      },
      60);
  EXPECT_GT(seen, 0);
  EXPECT_LT(seen, 0.15) << "the mean is above";
}

TEST(SeenUpdates, AreNoneWhereTheCounterStandsStill) {
  EXPECT_THROW(seen_update_seconds([] { return 7.0; }, 0.01), SensorError);
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

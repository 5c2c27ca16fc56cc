// NVIDIA's sensors, from a library that these tests build.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "power/sources.hpp"

namespace duoblas::power {
namespace {

// With the library that this test builds, which the environment tells what ails it.
class Nvml : public testing::Test {
 protected:
  void SetUp() override { places_.nvml_library = DUOBLAS_TEST_NVML; }
  void TearDown() override { ::unsetenv("FAKE_NVML"); }

  PowerSources found_with(const char* ailment) {
    ::setenv("FAKE_NVML", ailment, 1);
    PowerSources found;
    find_nvml(places_, found);
    return found;
  }
  static std::string source(const PowerSources& found, std::size_t i) {
    return found.sensors.at(i).info().source;
  }

  PowerPlaces places_;
};

TEST_F(Nvml, CountsEnergyWhereTheDriverDoes) {
  PowerSources found = found_with("");
  ASSERT_EQ(found.sensors.size(), 2u);
  EXPECT_EQ(source(found, 0), "NVML total energy of Fake GPU");
  EXPECT_EQ(source(found, 1), "NVML power of Fake GPU");
  EnergySensor& sensor = found.sensors[0];
  EXPECT_TRUE(sensor.info().counts);
  EXPECT_GT(sensor.info().update_seconds, 0);
  // Of the moments around both reads, however long these take on a busy machine.
  const double before_first = steady_seconds();
  const EnergyReading first = sensor.read();
  const double after_first = steady_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before_second = steady_seconds();
  const EnergyReading second = sensor.read();
  const double after_second = steady_seconds();
  const double update = 0.02;
  EXPECT_EQ(first.joules, 0);
  EXPECT_GE(second.joules, 250 * (before_second - after_first - update) - 1e-3);
  EXPECT_LE(second.joules, 250 * (after_second - before_first + update) + 1e-3);
}

TEST_F(Nvml, AddsUpPowerWhereTheDriverDoesNotCount) {
  PowerSources found = found_with("no_total");
  ASSERT_EQ(found.sensors.size(), 1u);
  EXPECT_EQ(source(found, 0), "NVML power of Fake GPU");
  ASSERT_EQ(found.missing.size(), 1u);
  EXPECT_NE(found.missing[0].reason.find("Not Supported"), std::string::npos);
  EnergySensor& sensor = found.sensors[0];
  EXPECT_FALSE(sensor.info().counts);
  const EnergyReading first = sensor.read();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const EnergyReading second = sensor.read();
  EXPECT_NEAR(second.joules, 250 * (second.seconds - first.seconds), 1e-6);
}

TEST_F(Nvml, DoesNotBelieveACounterThatStandsStill) {
  PowerSources found = found_with("still");
  ASSERT_EQ(found.sensors.size(), 1u);
  EXPECT_EQ(source(found, 0), "NVML power of Fake GPU");
}

TEST_F(Nvml, NamesTheDriversReason) {
  PowerSources found = found_with("no_driver");
  EXPECT_TRUE(found.sensors.empty());
  ASSERT_EQ(found.missing.size(), 1u);
  EXPECT_NE(found.missing[0].reason.find("Driver Not Loaded"), std::string::npos);
}

TEST_F(Nvml, SaysThatTheGpuIsGone) {
  PowerSources found = found_with("gone");
  ASSERT_EQ(found.sensors.size(), 2u);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  for (EnergySensor& sensor : found.sensors) {
    try {
      sensor.read();
      FAIL() << "there is no GPU";
    } catch (const SensorError& e) {
      EXPECT_NE(std::string(e.what()).find("GPU is lost"), std::string::npos) << e.what();
    }
  }
}

TEST_F(Nvml, FindsAGpuByItsAddress) {
  places_.gpu_address = "0000:01:00.0";
  EXPECT_EQ(found_with("").sensors.size(), 2u);
  places_.gpu_address = "0000:02:00.0";
  EXPECT_TRUE(found_with("").sensors.empty());
}

TEST_F(Nvml, SaysWhatIsNotInstalled) {
  places_.nvml_library = "libno-such-nvml.so";
  PowerSources found = found_with("");
  EXPECT_TRUE(found.sensors.empty());
  ASSERT_EQ(found.missing.size(), 1u);
  EXPECT_NE(found.missing[0].reason.find("libno-such-nvml.so"), std::string::npos);
}

}  // namespace
}  // namespace duoblas::power

// Joules of calls, with a clock and sensors of paper.
#include "tuner/energy_recorder.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace duoblas {
namespace {

/// Draws what the strategy at work draws; fails once it is told to.
class PaperSensor : public power::PowerSensor {
 public:
  explicit PaperSensor(power::SensorInfo info) : PowerSensor(std::move(info)) {}
  power::EnergyReading read() override {
    if (fails) throw power::SensorError("the file has vanished");
    reading.seconds += takes_seconds;
    return reading;
  }
  power::EnergyReading reading{1000, 0};
  bool fails = false;
  double takes_seconds = 0;
};

class Recorder : public ::testing::Test {
 protected:
  Recorder() {
    power::SensorInfo info;
    info.domain = power::Domain::gpu;
    info.source = "paper";
    info.update_seconds = 1e-3;
    auto sensor = std::make_unique<PaperSensor>(info);
    sensor_ = sensor.get();
    std::vector<power::DomainSensor> domains;
    for (const power::Domain domain : power::all_domains) {
      const bool gpu = domain == power::Domain::gpu;
      domains.push_back({domain, gpu ? std::move(sensor) : nullptr, gpu ? "" : "no such file"});
    }
    sampler_.emplace(
        std::move(domains),
        power::SamplerOptions{0.05, [this] { return sensor_->reading.seconds; }, false});
    sampler_->start();
  }
  /// Each call takes a tenth of a second.
  EnergyCandidate drawing(const std::string& strategy, double watts) {
    return {strategy, [this, watts] {
              for (int i = 0; i < 2; ++i) {
                sensor_->reading.seconds += 0.05;
                sensor_->reading.joules += 0.05 * watts;
                sampler_->sample();
              }
              return 0.1;
            }};
  }

  PaperSensor* sensor_ = nullptr;
  std::optional<power::PowerSampler> sampler_;
};

TEST_F(Recorder, TellsJoulesOfACallAndWatts) {
  EnergyRecorder recorder(*sampler_);
  const auto found = recorder.measure("sgemm", {drawing("cpu", 100), drawing("hybrid", 250)});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(recorder.sum(), "gpu");
  for (const auto& [place, watts] : {std::pair{0, 100.0}, std::pair{1, 250.0}}) {
    const StrategyEnergy& energy = found[static_cast<std::size_t>(place)];
    ASSERT_EQ(energy.domains.size(), 1u);
    EXPECT_EQ(energy.domains[0].domain, "gpu");
    EXPECT_NEAR(energy.domains[0].joules, 0.1 * watts, 1e-6);
    EXPECT_NEAR(energy.domains[0].mean_watts, watts, 1e-6);
    EXPECT_NEAR(energy.joules.value(), 0.1 * watts, 1e-6);
  }
}

TEST_F(Recorder, KeepsThePowerOfTheFirstTurnOfEach) {
  EnergyRecorder recorder(*sampler_);
  recorder.measure("sgemm", {drawing("cpu", 100), drawing("hybrid", 250)});
  ASSERT_EQ(recorder.traces().size(), 1u);
  const PowerTrace& trace = recorder.traces()[0];
  EXPECT_EQ(trace.problem, "sgemm");
  ASSERT_EQ(trace.phases.size(), 2u);
  EXPECT_EQ(trace.phases[0].begin, 0);
  EXPECT_GE(trace.phases[0].end, 1 - 1e-9);
  EXPECT_EQ(trace.phases[1].strategy, "hybrid");
  ASSERT_EQ(trace.lines.size(), 1u);
  EXPECT_NEAR(trace.lines[0].watts.front().watts, 100, 1e-6);
  EXPECT_NEAR(trace.lines[0].watts.back().watts, 250, 1e-6);
  EXPECT_LE(trace.lines[0].watts.back().seconds, trace.phases[1].end);
}

TEST_F(Recorder, HasNoFigureRatherThanZeroWhereTheSensorIsGone) {
  EnergyRecorder recorder(*sampler_);
  EnergyCandidate cpu = drawing("cpu", 100);
  const auto found = recorder.measure("sgemm", {{"cpu", [&, call = cpu.call] {
                                                   sensor_->fails = true;
                                                   return call();
                                                 }}});
  EXPECT_TRUE(found[0].domains.empty());
  EXPECT_FALSE(found[0].joules.has_value());
}

TEST_F(Recorder, MakesACallHoweverLongASensorTakes) {
  sensor_->takes_seconds = 2;  // longer than what makes a figure
  EnergyRecorder recorder(*sampler_);
  const auto found = recorder.measure("sgemm", {drawing("cpu", 100)});
  EXPECT_NEAR(found[0].joules.value(), 10, 1e-6);
}

TEST_F(Recorder, HasNoFigureOfAStrategyThatFails) {
  EnergyRecorder recorder(*sampler_);
  const auto found = recorder.measure(
      "sgemm", {{"gpu", [] { return std::optional<double>(); }}, drawing("cpu", 100)});
  EXPECT_TRUE(found[0].domains.empty());
  EXPECT_FALSE(found[0].joules.has_value());
  EXPECT_NEAR(found[1].joules.value(), 10, 1e-6);
}

TEST_F(Recorder, NamesEachDomainsSensorOrWhyThereIsNone) {
  const auto sources = EnergyRecorder(*sampler_).sources();
  ASSERT_EQ(sources.size(), power::all_domains.size());
  for (const EnergySource& source : sources) {
    EXPECT_EQ(source.source, source.domain == "gpu" ? "paper" : "");
    EXPECT_EQ(source.reason, source.domain == "gpu" ? "" : "no such file");
    EXPECT_EQ(source.resolution.empty(), source.domain != "gpu");
  }
}

}  // namespace
}  // namespace duoblas

// Joules of calls, with a clock and a sensor of paper.
#include "tuner/energy_recorder.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace duoblas {
namespace {

/// A meter of one GPU, which draws what the strategy at work draws.
class Recorder : public ::testing::Test {
 protected:
  Recorder() {
    power::SensorInfo info;
    info.domain = power::Domain::gpu;
    info.source = "paper";
    info.update_seconds = 1e-3;
    const auto clock = [this] { return seconds_; };
    const power::Gauge gauge{[this] {
      if (fails_) throw power::SensorError("the file has vanished");
      seconds_ += read_seconds_;
      return joules_;
    }};
    std::vector<power::DomainSensor> sensors;
    for (const power::Domain domain : power::all_domains)
      sensors.push_back({domain, std::nullopt, "no such file"});
    sensors[static_cast<std::size_t>(info.domain)] = {
        info.domain, power::EnergySensor(info, clock, {gauge}), ""};
    meter_.emplace(std::move(sensors), clock);
  }
  /// Each call takes a tenth of a second.
  EnergyCandidate drawing(const std::string& strategy, double watts) {
    return {strategy, [this, watts] {
              for (int i = 0; i < 2; ++i) {
                seconds_ += 0.05;
                joules_ += 0.05 * watts;
                meter_->mark();
              }
              return 0.1;
            }};
  }

  double seconds_ = 1000;
  double joules_ = 0;
  double read_seconds_ = 0;
  bool fails_ = false;
  std::optional<power::EnergyMeter> meter_;
};

TEST_F(Recorder, TellsJoulesOfACallAndWatts) {
  EnergyRecorder recorder(*meter_);
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
  EnergyRecorder recorder(*meter_);
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
  EnergyRecorder recorder(*meter_);
  EnergyCandidate cpu = drawing("cpu", 100);
  const auto found = recorder.measure("sgemm", {{"cpu", [&, call = cpu.call] {
                                                   fails_ = true;
                                                   return call();
                                                 }}});
  EXPECT_TRUE(found[0].domains.empty());
  EXPECT_FALSE(found[0].joules.has_value());
}

TEST_F(Recorder, MakesACallHoweverLongASensorTakes) {
  read_seconds_ = 2;  // longer than what makes a figure
  EnergyRecorder recorder(*meter_);
  const auto found = recorder.measure("sgemm", {drawing("cpu", 100)});
  EXPECT_NEAR(found[0].joules.value(), 10, 1e-6);
}

TEST_F(Recorder, HasNoFigureOfAStrategyThatFails) {
  EnergyRecorder recorder(*meter_);
  const auto found = recorder.measure(
      "sgemm", {{"gpu", [] { return std::optional<double>(); }}, drawing("cpu", 100)});
  EXPECT_TRUE(found[0].domains.empty());
  EXPECT_FALSE(found[0].joules.has_value());
  EXPECT_NEAR(found[1].joules.value(), 10, 1e-6);
}

TEST_F(Recorder, NamesEachDomainsSensorOrWhyThereIsNone) {
  const auto sources = EnergyRecorder(*meter_).sources();
  ASSERT_EQ(sources.size(), power::all_domains.size());
  for (const EnergySource& source : sources) {
    EXPECT_EQ(source.source, source.domain == "gpu" ? "paper" : "");
    EXPECT_EQ(source.reason, source.domain == "gpu" ? "" : "no such file");
    EXPECT_EQ(source.resolution.empty(), source.domain != "gpu");
  }
}

}  // namespace
}  // namespace duoblas

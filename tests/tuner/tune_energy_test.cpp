// Tuning for energy on a device, with a sensor that is made up: so many watts, whatever runs.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include <duoblas/error.hpp>

#include "support/temporary_directory.hpp"
#include "tuner/call_energy.hpp"
#include "tuner/journal.hpp"
#include "tuner/measure.hpp"
#include "tuner/tune.hpp"
#include "tuner/tuning_identity.hpp"

namespace duoblas {
namespace {

constexpr double watts = 80;

/// By a sensor of the GPU that says so many watts for so long, then that it is gone.
CallEnergy steady_draw(double seconds_until_gone = 1e9) {
  power::SensorInfo info;
  info.domain = power::Domain::gpu;
  info.update_seconds = 1e-3;
  const double begin = power::steady_seconds();
  const power::Gauge gauge{[=] {
    const double seconds = power::steady_seconds() - begin;
    if (seconds > seconds_until_gone) throw power::SensorError("it fell off the bus");
    return watts * seconds;
  }};
  std::vector<power::DomainSensor> sensors;
  sensors.push_back({info.domain, power::EnergySensor(info, power::steady_seconds, {gauge}), ""});
  return CallEnergy(std::move(sensors));
}

class EnergyTuning : public testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.standin = true;
    s.profile_dir = directory_ / "profiles";
    s.cache_dir = directory_ / "cache";
    return s;
  }
  static TuneRequest request_for(Goal goal) {
    TuneRequest request;
    request.precisions = {Precision::s};
    request.shapes = {{192, 160, 128}};
    request.budget_seconds = 6;
    request.max_kernels = 2;
    request.helper_program = DUOBLAS_COMMAND;
    request.measure_crossover = request.measure_bandwidth = false;
    request.goal = goal;
    request.joules_of = goal == Goal::throughput ? "" : "gpu";
    return request;
  }

  test::TemporaryDirectory directory_;
  TuneListener listener_;
};

TEST_F(EnergyTuning, LeavesJoulesOfEveryStrategyInProfileAndJournal) {
  Engine engine(settings());
  const TuneRequest request = request_for(Goal::energy);
  const std::string path = directory_ / "tuning.journal";
  const JournalHeader header = journal_header(engine);
  CallEnergy energy = steady_draw();
  Profile profile;
  {
    Journal journal(path, header, false);
    profile = tune(engine, request, journal, listener_, &energy);
  }
  ASSERT_EQ(profile.points.size(), 1u);
  const TunedPoint& point = profile.points[0];
  EXPECT_EQ(point.goal, Goal::energy);
  EXPECT_EQ(point.joules_of, "gpu");
  for (const auto& [joules, seconds] : {std::pair{point.hybrid.joules, point.hybrid.seconds},
                                        {point.simple.joules, point.simple.seconds},
                                        {point.gpu.joules, point.gpu.seconds},
                                        {point.cpu_joules, point.cpu_seconds},
                                        {point.cpu_all_joules, point.cpu_all_seconds}}) {
    EXPECT_GT(joules, 0);
    // Between two marks there is little else than calls.
    EXPECT_GE(joules, 0.5 * watts * seconds);
  }
  EXPECT_LE(point.hybrid.joules, point.simple.joules);

  // Asked again after an interruption, it goes on by what the journal holds: no sensor is needed,
  // but for what a busy machine left no time for.
  Journal journal(path, header, false);
  CallEnergy gone = steady_draw(0);
  try {
    const Profile again = tune(engine, request, journal, listener_, &gone);
    EXPECT_EQ(again.points.at(0).hybrid.joules, point.hybrid.joules);
  } catch (const Error& e) {
    EXPECT_FALSE(journal.replays()) << e.what();
  }
  EXPECT_GT(journal.resumed(), 0);
  std::ifstream file(path);
  const std::string lines{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(lines.find("diverged"), std::string::npos);
}

TEST_F(EnergyTuning, IsAnotherTuningThanOneForThroughput) {
  Engine engine(settings());
  const std::string time = request_text(engine, request_for(Goal::throughput));
  const std::string energy = request_text(engine, request_for(Goal::energy));
  const std::string both = request_text(engine, request_for(Goal::energy_delay));
  EXPECT_NE(time, energy);
  EXPECT_NE(energy, both);
  TuneRequest other = request_for(Goal::energy);
  other.joules_of = "package + gpu";
  EXPECT_NE(request_text(engine, other), energy);
  EXPECT_EQ(time.find("throughput"), std::string::npos) << "older journals go on";
}

TEST_F(EnergyTuning, WithoutAMeterIsRefused) {
  Engine engine(settings());
  Journal journal;
  EXPECT_THROW(tune(engine, request_for(Goal::energy), journal, listener_), SettingError);
}

TEST_F(EnergyTuning, EndsWithTheReasonWhenTheSensorIsGone) {
  Engine engine(settings());
  Journal journal;
  CallEnergy energy = steady_draw(0.3);
  try {
    tune(engine, request_for(Goal::energy), journal, listener_, &energy);
    FAIL() << "nothing tells energy";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("it fell off the bus"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace duoblas

// An engine that finds no profile of its own machine, but others.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class BorrowedProfile : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings settings;
    settings.strategy = Strategy::hybrid;  // a CPU device will do
    settings.profile_dir = directory_.path();
    return settings;
  }
  // As this machine's would be, with a CPU configuration that is easily told from its own.
  Profile own() const {
    Engine engine(settings());
    Profile profile;
    profile.key = engine.facts().profile_key();
    profile.origin = engine.facts().profile_origin();
    CpuConfig config = engine.machine().cpu_for(Precision::s);
    config.core_type = "Haswell";
    config.threads = 1;
    config.cores = {config.cores.front()};
    config.tiles = true;
    profile.cpu = profile.cpu_all = every_precision(config);
    return profile;
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(BorrowedProfile, OfThisMachineBringsItsCpuConfigurationPerElementType) {
  Profile profile = own();
  profile.cpu[precision_index(Precision::d)].tiles = false;
  store_profile(directory_.path(), profile);
  Engine engine(settings());
  EXPECT_TRUE(engine.machine().is_tuned());
  EXPECT_EQ(engine.machine().cpu_for(Precision::s).threads, 1);
  EXPECT_EQ(engine.machine().cpu_for(Precision::s).cores, profile.cpu[0].cores);
  EXPECT_TRUE(engine.machine().cpu_for(Precision::s).tiles);
  EXPECT_FALSE(engine.machine().cpu_for(Precision::d).tiles);
}

TEST_F(BorrowedProfile, OfThisMachineBringsNoCoreThatIsNotAllowedNow) {
  Profile profile = own();
  for (CpuConfig& config : profile.cpu) config.cores = {4095};
  store_profile(directory_.path(), profile);
  Engine engine(settings());
  ASSERT_TRUE(engine.machine().is_tuned());
  EXPECT_NE(engine.machine().cpu_for(Precision::s).cores, profile.cpu[0].cores);
}

TEST_F(BorrowedProfile, OfTheSameDeviceBringsNothingOfItsCpu) {
  const CpuConfigs untuned = Engine(settings()).machine().cpu;
  Profile profile = own();
  profile.key.driver = "another";
  store_profile(directory_.path(), profile);
  Engine engine(settings());
  const PlanMachine& machine = engine.machine();
  EXPECT_FALSE(machine.is_tuned());
  EXPECT_EQ(machine.match, ProfileMatch::device);
  EXPECT_EQ(machine.cpu, untuned);
  EXPECT_EQ(machine.profile->cpu, untuned);
  EXPECT_EQ(engine.facts().profile_problem(), "");
}

// As a shipped one may be.
TEST_F(BorrowedProfile, OfThisMachineIsItsOwnUnderAnyName) {
  const std::string stored = store_profile(directory_.path(), own());
  std::filesystem::rename(stored, directory_ / "another-name.json");
  Engine engine(settings());
  EXPECT_TRUE(engine.machine().is_tuned());
  EXPECT_EQ(engine.machine().cpu_for(Precision::s).threads, 1);
}

TEST_F(BorrowedProfile, OfThisMachineComesBeforeOthers) {
  Profile other = own();
  other.key.driver = "another";
  other.points.resize(5);
  for (TunedPoint& point : other.points) point.m = point.n = point.k = 64;
  store_profile(directory_.path(), other);
  store_profile(directory_.path(), own());
  EXPECT_TRUE(Engine(settings()).machine().is_tuned());
}

TEST_F(BorrowedProfile, OfAStandInIsNotUsedByOthers) {
  Profile profile = own();
  profile.key.standin = true;
  store_profile(directory_.path(), profile);
  Engine engine(settings());
  const PlanMachine& machine = engine.machine();
  EXPECT_TRUE(!machine.profile || machine.profile->key != profile.key);
}

}  // namespace
}  // namespace duoblas

// What a machine is known for before its device is opened.
#include "engine/last_device.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "engine/machine.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "profile/profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

class ALastDevice : public testing::Test {
 protected:
  ALastDevice() {
    settings.cache_dir = folder / "cache";
    settings.profile_dir = folder / "profiles";
    settings.standin = true;
  }

  // Somebody opens the device; then a profile of this machine is there.
  void tune(double cpu_seconds, double gpu_seconds) const {
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    TunedPoint point;
    point.precision = Precision::s;
    point.m = point.n = point.k = 1024;
    point.gpu.kernel = default_kernel(Precision::s, engine.machine().device);
    point.gpu.share = {16, 16};
    point.gpu.seconds = gpu_seconds;
    point.hybrid = point.gpu;
    point.hybrid.share = {8, 16};
    point.hybrid.seconds = point.gpu_side_seconds = point.cpu_side_seconds = gpu_seconds;
    point.cpu_seconds = point.cpu_all_seconds = cpu_seconds;
    Profile profile;
    profile.key = engine.facts().profile_key();
    profile.points.push_back(point);
    store_profile(settings.profile_dir, profile);
  }

  static GemmProblem product(std::int64_t n) {
    GemmProblem p;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    return p;
  }

  const TemporaryDirectory folder;
  Settings settings;
};

TEST_F(ALastDevice, IsNotKnownBeforeOneWasOpened) {
  EXPECT_FALSE(LastDevice(settings).load());
  EXPECT_FALSE(Engine(settings).plans().promised_gain(product(1024)));
}

TEST_F(ALastDevice, IsForgottenWhereNothingIsToBeLearned) {
  settings.adapt = false;
  LastDevice(settings).remember({{{"A device", "A driver", "", true}, {}}, {}});
  EXPECT_FALSE(std::filesystem::exists(settings.cache_dir));
  settings.adapt = true;
  EXPECT_FALSE(LastDevice(settings).load());
}

TEST_F(ALastDevice, IsFoundByTheSameSettings) {
  const DeviceOpenedLast device{
      {{"A device", "A driver 1.0", "", true}, {"A vendor", "cpu", "v512"}},
      SharingMode::host_pointer,
      false,
      true};
  LastDevice(settings).remember(device);
  const auto found = LastDevice(settings).load();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, device.key);
  EXPECT_EQ(found->origin, device.origin);
  EXPECT_EQ(found->sharing, device.sharing);
  EXPECT_FALSE(found->has_fp64);
  EXPECT_TRUE(found->doubles_by_integers);
  settings.standin = false;
  EXPECT_FALSE(LastDevice(settings).load());
  settings.standin = true;
  settings.device = "another";
  EXPECT_FALSE(LastDevice(settings).load());
}

TEST_F(ALastDevice, PromisesNothingToWhatTheCpuDoesFaster) {
  tune(10e-3, 30e-3);
  EXPECT_EQ(Engine(settings).plans().promised_gain(product(1024)), 0);
}

TEST_F(ALastDevice, PromisesWhatItsProfileSays) {
  tune(40e-3, 10e-3);
  Engine engine(settings);
  EXPECT_NEAR(engine.plans().promised_gain(product(1024)).value_or(0), 0.75, 1e-6);
}

TEST_F(ALastDevice, IsNotOpenedForAPromise) {
  tune(40e-3, 10e-3);
  Logger silent(0);
  Machine machine(settings, silent);
  ASSERT_NE(machine.as_last_opened(), nullptr);
  EXPECT_TRUE(machine.as_last_opened()->is_tuned());
  EXPECT_EQ(machine.found(), nullptr);
}

TEST_F(ALastDevice, IsNothingWhereItsFileIsDamaged) {
  tune(40e-3, 10e-3);
  for (const auto& entry : std::filesystem::directory_iterator(settings.cache_dir + "/machine"))
    std::ofstream(entry.path(), std::ios::app) << "!";
  EXPECT_FALSE(LastDevice(settings).load());
  EXPECT_FALSE(Engine(settings).plans().promised_gain(product(1024)));
}

}  // namespace
}  // namespace duoblas::test

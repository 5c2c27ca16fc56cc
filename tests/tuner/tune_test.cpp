// Tuning on a device: short, small, but whole.
#include "tuner/tune.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "plan/kernel_defaults.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class Recorder : public TuneListener {
 public:
  void progress(const TuneProgress& p) override {
    if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
    EXPECT_GE(p.left, 0);
    EXPECT_GE(p.seconds_left, 0);
  }
  void rejected(const std::string&, const std::string& why) override { reasons.push_back(why); }
  void tuned(const TunedPoint&) override { ++points; }

  std::vector<std::string> phases;
  std::vector<std::string> reasons;
  int points = 0;
};

class Tuning : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.standin = true;
    s.profile_dir = directory_ / "profiles";
    s.cache_dir = directory_ / "cache";
    return s;
  }
  static TuneRequest small_request() {
    TuneRequest request;
    request.precisions = {Precision::s};
    request.shapes = {{192, 160, 128}};
    request.budget_seconds = 6;
    request.max_kernels = 3;
    return request;
  }
  static GemmProblem problem() {
    GemmProblem p;
    p.m = 192;
    p.n = 160;
    p.k = p.lda = 128;
    p.ldb = p.ldc = 160;
    return p;
  }
  // A copy of the kernels with more text at the end of what all kernels begin with.
  std::string kernels_with(const std::string& text) const {
    namespace fs = std::filesystem;
    const std::string copy = directory_ / "kernels";
    fs::copy(DUOBLAS_KERNEL_SOURCES, copy);
    std::ofstream(copy + "/types.clh", std::ios::app) << text;
    return copy;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Tuning, WritesAProfileThatANewEngineUsesByItself) {
  Recorder recorder;
  Profile profile;
  {
    Engine engine(settings());
    ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
    profile = tune(engine, small_request(), recorder);
    store_profile(settings().profile_dir, profile);
  }
  ASSERT_EQ(profile.points.size(), 1u);
  const TunedPoint& point = profile.points[0];
  EXPECT_GT(point.hybrid.seconds, 0);
  EXPECT_LE(point.hybrid.seconds, point.simple.seconds);
  EXPECT_GT(point.gpu.seconds, 0);
  EXPECT_GT(point.cpu_seconds, 0);
  EXPECT_GT(point.cpu_all_seconds, 0);
  EXPECT_GT(profile.crossover_flops[0], 0);
  EXPECT_EQ(recorder.points, 1);
  EXPECT_EQ(recorder.phases, (std::vector<std::string>{"kernels", "split", "duel", "crossover"}));

  Settings hybrid = settings();
  hybrid.strategy = Strategy::hybrid;
  Engine user(hybrid);
  const Plan plan = user.plan(problem());
  EXPECT_EQ(user.profile_problem(), "");
  ASSERT_TRUE(user.machine().profile.has_value());
  EXPECT_EQ(user.machine().profile->created, profile.created);
  EXPECT_EQ(plan.kernel, point.hybrid.kernel);
  EXPECT_EQ(plan.share, point.hybrid.share);
}

TEST_F(Tuning, NeverUsesAKernelThatComputesWrongResults) {
  Settings tampered = settings();
  Engine probe(settings());
  ASSERT_NE(probe.gpu(), nullptr) << probe.gpu_problem();
  const auto candidates =
      kernel_candidates(Precision::s, Op::none, Op::none, probe.machine().device);
  // Wrong in the last bits but three, and only for the kernels with the best guess's tile.
  const std::string rows = std::to_string(candidates.front().tile_rows);
  tampered.kernel_dir = kernels_with("\n#if TILE_ROWS == " + rows +
                                     "\n#undef MADD\n"
                                     "#define MADD(x, y, z) ((x) * (y) * (part)1.001 + (z))\n"
                                     "#endif\n");
  Engine engine(tampered);
  TuneRequest request = small_request();
  request.max_kernels = static_cast<int>(candidates.size());
  request.measure_crossover = false;
  Recorder recorder;
  const Profile profile = tune(engine, request, recorder);
  ASSERT_EQ(profile.points.size(), 1u);
  for (const TunedChoice& choice :
       {profile.points[0].hybrid, profile.points[0].simple, profile.points[0].gpu})
    EXPECT_NE(choice.kernel.tile_rows, candidates.front().tile_rows);
  ASSERT_FALSE(recorder.reasons.empty());
  EXPECT_NE(recorder.reasons.front().find("wrong result"), std::string::npos)
      << recorder.reasons.front();
}

TEST_F(Tuning, KeepsWhatItTunedWhereAnotherPrecisionFails) {
  Settings tampered = settings();
  tampered.kernel_dir =
      kernels_with("\ntypedef char only_floats_build[sizeof(part) == 4 ? 1 : -1];\n");
  Engine engine(tampered);
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  TuneRequest request = small_request();
  request.precisions = {Precision::d, Precision::s};
  request.measure_crossover = false;
  Recorder recorder;
  const Profile profile = tune(engine, request, recorder);
  ASSERT_EQ(profile.points.size(), 1u);
  EXPECT_EQ(profile.points[0].precision, Precision::s);
}

TEST_F(Tuning, SaysSoWhereNoKernelBuilds) {
  Settings tampered = settings();
  tampered.kernel_dir = kernels_with("\n#error nothing builds\n");
  Engine engine(tampered);
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  Recorder recorder;
  EXPECT_THROW(tune(engine, small_request(), recorder), DeviceError);
  // Three kernels, and that sgemm has none.
  ASSERT_EQ(recorder.reasons.size(), 4u);
  EXPECT_NE(recorder.reasons.back().find("no kernel computes sgemm"), std::string::npos)
      << recorder.reasons.back();
  EXPECT_EQ(recorder.points, 0);
}

TEST_F(Tuning, RefusesARequestForNothing) {
  Engine engine(settings());
  Recorder recorder;
  for (const auto& damage :
       {+[](TuneRequest& r) { r.precisions.clear(); }, +[](TuneRequest& r) { r.shapes.clear(); },
        +[](TuneRequest& r) {
          r.shapes = {{0, 5, 5}};
        },
        +[](TuneRequest& r) { r.ops.clear(); }, +[](TuneRequest& r) { r.max_kernels = 0; }}) {
    TuneRequest request = small_request();
    damage(request);
    EXPECT_THROW(tune(engine, request, recorder), SettingError);
  }
}

TEST_F(Tuning, SaysWhyThereIsNothingToTune) {
  Settings none = settings();
  none.standin = false;
  none.device = "none";
  Engine engine(none);
  Recorder recorder;
  EXPECT_THROW(tune(engine, small_request(), recorder), DeviceError);
}

}  // namespace
}  // namespace duoblas

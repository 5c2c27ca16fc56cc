// One device that cannot be opened beside one that can, and ranks that have one each. Alone in its
// program: PoCL shows as many devices as it is told when it starts.
#include <cstdlib>

#include "cl_layer/played_driver.hpp"
#include "engine/engine.hpp"
#include "support/driver_ability.hpp"

namespace duoblas::test {
namespace {

[[maybe_unused]] const int two_devices = ::setenv("POCL_DEVICES", "pthread pthread", 1);

// Another driver than PoCL may show one device only: there is nothing to choose then.
struct BrokenGpu : PlayedDriver {
  bool has_two = false;
  static Settings of_rank(int number, int on_host) {
    Settings settings = both_sides();
    settings.rank = {number, on_host, on_host, "a job"};
    settings.adapt = false;
    return settings;
  }
  void SetUp() override {
    PlayedDriver::SetUp();
    const auto devices = cl::list_devices();
    ASSERT_FALSE(devices.empty());
    has_two = can_or_tells(devices[0].info, devices.size() > 1, "it shows one device only");
  }
};

TEST_F(BrokenGpu, DoesNotHideTheOneBesideIt) {
  if (!has_two) return;
  layer.fail("clCreateContext:1=-6");
  Engine engine(both_sides());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  EXPECT_EQ(engine.gpu()->info().index, 1);
  const std::string story = engine.facts().passed_over();
  EXPECT_NE(story.find(cl::list_devices().at(0).info.name), std::string::npos) << story;
  EXPECT_NE(story.find("CL_OUT_OF_HOST_MEMORY"), std::string::npos) << story;
  layer.reset();
  layer.fail("clCreateContext:1=-6");
  Context context(both_sides());
  expect_gpu_used<float>(context);
}

TEST_F(BrokenGpu, ThatWasNamedIsNotReplacedByAnother) {
  if (!has_two) return;
  layer.fail("clCreateContext:1=-6");
  Settings settings = both_sides();
  settings.device = "0";
  Engine engine(settings);
  EXPECT_EQ(engine.gpu(), nullptr);
  EXPECT_NE(engine.facts().gpu_problem().find("CL_OUT_OF_HOST_MEMORY"), std::string::npos);
}

TEST_F(BrokenGpu, WithOthersThatAreBrokenTooIsExplained) {
  if (!has_two) return;
  layer.fail("clCreateContext:1+=-6");
  Engine engine(both_sides());
  EXPECT_EQ(engine.gpu(), nullptr);
  for (const char* part : {"0: ", "1: ", "CL_OUT_OF_HOST_MEMORY"})
    EXPECT_NE(engine.facts().gpu_problem().find(part), std::string::npos)
        << engine.facts().gpu_problem();
}

TEST_F(BrokenGpu, IsNotBesideRanksThatHaveOneEach) {
  if (!has_two) return;
  Engine first(of_rank(0, 2)), second(of_rank(1, 2)), last(of_rank(3, 4));
  for (Engine* engine : {&first, &second, &last}) ASSERT_NE(engine->gpu(), nullptr);
  EXPECT_EQ(first.gpu()->info().index, 0);
  EXPECT_EQ(second.gpu()->info().index, 1);
  EXPECT_EQ(last.gpu()->info().index, 1);
  // Ranks 1 and 3 share it, and its memory.
  const double whole = static_cast<double>(second.gpu()->limits().memory_bytes);
  EXPECT_NEAR(static_cast<double>(last.gpu()->limits().memory_bytes), whole / 2, 1e6);
  EXPECT_NE(last.facts().of_rank().find("which up to 2 ranks share"), std::string::npos);
}

TEST_F(BrokenGpu, IsForEachOfThreeRanksWhatItIsForTwoThatShareIt) {
  if (!has_two) return;
  Engine sharing(of_rank(0, 3)), alone(of_rank(1, 3));
  for (Engine* engine : {&sharing, &alone}) ASSERT_NE(engine->gpu(), nullptr);
  EXPECT_NE(sharing.gpu()->info().index, alone.gpu()->info().index);
  EXPECT_EQ(sharing.gpu()->limits().memory_bytes, alone.gpu()->limits().memory_bytes);
  EXPECT_NE(alone.facts().of_rank().find("which up to 2 ranks share"), std::string::npos);
}

TEST_F(BrokenGpu, OfOneRankIsNotReplacedByAnothers) {
  if (!has_two) return;
  Settings named = of_rank(1, 2);
  named.device = "0";
  Engine engine(named);
  ASSERT_NE(engine.gpu(), nullptr);
  EXPECT_EQ(engine.gpu()->info().index, 0) << "what the user says stands";
  layer.fail("clCreateContext:1=-6");
  EXPECT_EQ(Engine(of_rank(0, 2)).gpu(), nullptr);
}

// As NVIDIA's driver says it of a device in exclusive mode.
TEST_F(BrokenGpu, ThatAnotherProcessHoldsIsAReason) {
  if (!has_two) return;
  constexpr int invalid_device = -33;
  layer.fail(("clCreateContext:1=" + std::to_string(invalid_device)).c_str());
  Engine engine(of_rank(0, 2));
  GemmProblem problem;
  problem.m = problem.n = problem.k = problem.lda = problem.ldb = problem.ldc = 512;
  const Decision decision = engine.decide(problem);
  EXPECT_EQ(decision.who, Who::cpu);
  EXPECT_EQ(decision.reason, Reason::device_held);
}

// One that cannot even be described.
TEST_F(BrokenGpu, ThatDescribesNothingIsNamed) {
  if (!has_two) return;
  layer.fail("clGetDeviceInfo:1");
  Engine engine(both_sides());
  ASSERT_NE(engine.gpu(), nullptr);
  EXPECT_NE(engine.facts().passed_over().find("clGetDeviceInfo"), std::string::npos)
      << engine.facts().passed_over();
}

// A driver may hang when it is asked for anything.
TEST_F(BrokenGpu, IsNotAskedWhereNoneIsWanted) {
  Settings settings = both_sides();
  settings.device = "none";
  layer.reset();
  Engine engine(settings);
  EXPECT_EQ(engine.gpu(), nullptr);
  EXPECT_NE(engine.facts().gpu_problem().find("none"), std::string::npos)
      << engine.facts().gpu_problem();
  EXPECT_EQ(layer.calls(), 0);
}

}  // namespace
}  // namespace duoblas::test

// Tuning gemv on a device: kernels are tried in children, and what is stored is used.
#include "tuner/gemv_tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <duoblas/error.hpp>

#include "engine/gemv_routine.hpp"
#include "gpu/gpu_side.hpp"
#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

class GemvTuningTest : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings s;
    s.standin = true;
    s.cache_dir = directory_ / "cache";
    return s;
  }
  static GemvTuneRequest small_request() {
    GemvTuneRequest request;
    request.precisions = {Precision::s};
    request.size = 320;
    request.budget_seconds = 3;
    request.helper_program = DUOBLAS_COMMAND;
    return request;
  }
  test::TemporaryDirectory directory_;
};

TEST_F(GemvTuningTest, FindsAKernelForEachOpThatIsNoSlowerThanTheBuiltInOne) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  const auto findings = tune_gemv(engine, small_request(), [](const auto& kernel, const auto& why) {
    ADD_FAILURE() << kernel << ": " << why;
  });
  ASSERT_EQ(findings.size(), 2u);
  for (const GemvFinding& finding : findings) {
    EXPECT_TRUE(
        is_legal(finding.best.kernel, engine.gpu()->limits(), Precision::s, finding.transposes));
    EXPECT_GT(finding.builtin.rate, 0);
    // Decided pair by pair; medians of a busy machine may be the other way round.
    EXPECT_GE(finding.best.rate, 0.8 * finding.builtin.rate);
    EXPECT_GE(finding.timed, 1);
    EXPECT_EQ(finding.size, 320);
  }
  EXPECT_FALSE(findings[0].transposes);
  EXPECT_TRUE(findings[1].transposes);
}

TEST_F(GemvTuningTest, RejectsKernelsThatComputeSomethingElse) {
  namespace fs = std::filesystem;
  const std::string kernels = directory_ / "kernels";
  fs::copy(DUOBLAS_KERNEL_SOURCES, kernels);
  std::ifstream in(kernels + "/gemv.cl");
  std::ostringstream text;
  text << in.rdbuf();
  std::string source = text.str();
  // Kernels with more lines than the built-in one leave out the last of them.
  const std::string line = "for (int r = 0; r < LINES; ++r) sums[r] = folded(p[r], q[r]);";
  const std::size_t at = source.find(line);
  ASSERT_NE(at, std::string::npos);
  source.replace(at, line.size(),
                 "for (int r = 0; r < LINES; ++r) sums[r] = LINES > 4 ? 0 : folded(p[r], q[r]);");
  std::ofstream(kernels + "/gemv.cl") << source;
  Settings spoiled = settings();
  spoiled.kernel_dir = kernels;
  Engine engine(spoiled);
  GemvTuneRequest request = small_request();
  request.transposes = {false};
  int rejected = 0;
  const auto findings = tune_gemv(engine, request, [&](const auto& kernel, const auto&) {
    EXPECT_NE(kernel.find("lines 8"), std::string::npos) << kernel;
    ++rejected;
  });
  EXPECT_GT(rejected, 0);
  EXPECT_LE(findings.at(0).best.kernel.lines, 4);
}

TEST_F(GemvTuningTest, SaysSoWhereNoChildCanBeStarted) {
  Engine engine(settings());
  GemvTuneRequest request = small_request();
  request.helper_program = "/nowhere/duoblas";
  EXPECT_THROW(tune_gemv(engine, request, [](const auto&, const auto&) {}), Error);
}

TEST_F(GemvTuningTest, WhatTheProfileHasIsUsed) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.gpu_problem();
  const GpuSide& gpu = *engine.gpu();
  GemvProblem problem;
  problem.rows = problem.columns = problem.lda = 64;
  const GemvRoutine routine(problem, nullptr);
  const GemvKernel builtin = routine.kernel(gpu);
  GemvKernel other = builtin;
  other.lines = 2;
  Profile profile = test::paper_profile();
  profile.gemv[precision_index(Precision::s)][0] = TunedGemv{other, 1e9};
  engine.adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), other);
  EXPECT_EQ(routine.unit(gpu), 2);
  profile.gemv[precision_index(Precision::s)][0]->kernel.across = 1 << 20;
  engine.adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), builtin) << "no device can launch that";
  profile.gemv = {};
  engine.adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), builtin);
}

}  // namespace
}  // namespace duoblas

// Tuning gemv on a device: kernels are tried in children, and what is stored
// is used.
#include "tuner/gemv_tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <duoblas/error.hpp>

#include "engine/gemv_call.hpp"
#include "gpu/gpu_side.hpp"
#include "support/standin_settings.hpp"
#include "support/tuned_machine.hpp"
#include "tuner/gemv_curves.hpp"
#include "tuner/trial_patience.hpp"

namespace duoblas {
namespace {

class GemvTuningTest : public test::OnStandin {
 protected:
  static GemvTuneRequest small_request() {
    GemvTuneRequest request;
    request.precisions = {Precision::s};
    request.size = 320;
    request.budget_seconds = 3;
    request.helper_program = DUOBLAS_COMMAND;
    request.kernel_time_out_seconds = test::trial_patience;
    return request;
  }
};

TEST_F(GemvTuningTest, FindsAKernelForEachForm) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Journal journal;
  TunedGemvs tuned;
  const auto findings = tune_gemv(
      engine, small_request(), journal,
      [](const auto& kernel, const auto& why) { ADD_FAILURE() << kernel << ": " << why; }, tuned);
  ASSERT_EQ(findings.size(), 2u);
  for (const GemvFinding& finding : findings) {
    const auto& found = tuned[precision_index(Precision::s)][finding.transposes ? 1 : 0];
    ASSERT_TRUE(found);
    EXPECT_EQ(describe(found->kernel), finding.kernel);
    EXPECT_TRUE(is_legal(found->kernel, engine.gpu()->limits(), Precision::s, finding.transposes));
    EXPECT_GT(finding.builtin_rate, 0);
    // Which is faster is decided pair by pair (measure_test): of a busy machine these medians may
    // be the other way round, by any factor.
    EXPECT_GT(finding.rate, 0);
    if (finding.kernel == finding.builtin) {
      EXPECT_EQ(finding.rate, finding.builtin_rate);
    }
    EXPECT_GE(finding.timed, 1);
    EXPECT_EQ(finding.size, 320);
  }
  EXPECT_FALSE(findings.front().transposes);
  EXPECT_TRUE(findings.back().transposes);
}

// What was noted before it was interrupted is not measured again; after its end all is.
TEST_F(GemvTuningTest, GoesOnFromItsJournal) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  GemvTuneRequest request = small_request();
  request.transposes = {false};
  const DeviceLimits& limits = engine.gpu()->limits();
  const GemvKernel builtin = default_gemv_kernel(limits, Precision::s, false);
  const std::string path = directory_ / "gemv.journal";
  const std::string rejected = "sgemv n, " + describe(builtin);
  GemvKernel neighbour = builtin;  // the first step of the first axis
  neighbour.lines *= 2;
  const std::string noted = "sgemv n, " + describe(neighbour);
  const auto tune = [&](Journal& journal) {
    journal.begin("gemv");
    int rejections = 0;
    TunedGemvs tuned;
    tune_gemv(
        engine, request, journal,
        [&](const auto& kernel, const auto& why) {
          EXPECT_EQ(kernel, rejected);
          EXPECT_EQ(why, "as noted");
          ++rejections;
        },
        tuned);
    return rejections;
  };
  {
    Journal journal(path, JournalHeader(), false);
    journal.begin("gemv");
    journal.note({rejected, 0, "as noted"});
    journal.note({noted, 1e-9, ""});
    // All steps from there: the search takes no time, so that a busy machine has enough.
    for (const auto& [name, axis] : gemv_axes(limits, false))
      for (const GemvKernel& step :
           gemv_neighbours(neighbour, axis, limits, Precision::s, false, 3))
        if (step != builtin && step != neighbour)
          journal.note({"sgemv n, " + describe(step), 1, ""});
  }
  {
    request.budget_seconds = 60;
    Journal journal(path, JournalHeader(), false);
    EXPECT_EQ(tune(journal), 1);
    ASSERT_TRUE(journal.timed(noted));
    EXPECT_EQ(journal.timed(noted)->seconds, 1e-9) << "it was measured again";
    journal.finish();
  }
  request.budget_seconds = small_request().budget_seconds;
  Journal journal(path, JournalHeader(), false);
  EXPECT_EQ(tune(journal), 0);
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
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  GemvTuneRequest request = small_request();
  request.transposes = {false};
  int rejected = 0;
  // However long a busy machine would take for the built-in one, there is time for the first step,
  // which is to twice as many lines.
  const GemvKernel builtin = default_gemv_kernel(engine.gpu()->limits(), Precision::s, false);
  Journal journal;
  journal.note({"sgemv n, " + describe(builtin), 1, ""});
  TunedGemvs tuned;
  tune_gemv(
      engine, request, journal,
      [&](const auto& kernel, const auto&) {
        EXPECT_NE(kernel.find("lines 8"), std::string::npos) << kernel;
        ++rejected;
      },
      tuned);
  EXPECT_GT(rejected, 0);
  EXPECT_LE(tuned[precision_index(Precision::s)][0]->kernel.lines, 4);
}

TEST_F(GemvTuningTest, SaysSoWhereNoChildCanBeStarted) {
  Engine engine(settings());
  GemvTuneRequest request = small_request();
  request.helper_program = "/nowhere/duoblas";
  Journal journal;
  TunedGemvs tuned;
  EXPECT_THROW(tune_gemv(
                   engine, request, journal, [](const auto&, const auto&) {}, tuned),
               Error);
}

TEST_F(GemvTuningTest, WhatTheProfileHasIsUsed) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const GpuSide& gpu = *engine.gpu();
  GemvProblem problem;
  problem.rows = problem.columns = problem.lda = 64;
  const GemvKernel builtin = gemv_kernel(gpu, problem);
  GemvKernel other = builtin;
  other.lines = 2;
  Profile profile = test::paper_profile();
  profile.gemv[precision_index(Precision::s)][0] = TunedGemv{other, 1e9};
  engine.facts().adopt(profile);
  EXPECT_EQ(gemv_kernel(gpu, problem), other);
  profile.gemv[precision_index(Precision::s)][0]->kernel.across = 1 << 20;
  engine.facts().adopt(profile);
  EXPECT_EQ(gemv_kernel(gpu, problem), builtin) << "no device can launch that";
  profile.gemv = {};
  engine.facts().adopt(profile);
  EXPECT_EQ(gemv_kernel(gpu, problem), builtin);
}

}  // namespace
}  // namespace duoblas

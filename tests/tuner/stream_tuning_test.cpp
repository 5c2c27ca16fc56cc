// Tuning routines that memory bounds on a device: kernels are tried in children, and what is stored
// is used.
#include "tuner/stream_tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <duoblas/error.hpp>

#include "engine/vector_routines.hpp"
#include "gpu/gpu_side.hpp"
#include "support/standin_settings.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

class StreamTuningTest : public test::OnStandin {
 protected:
  static StreamTuneRequest small_request() {
    StreamTuneRequest request;
    request.precisions = {Precision::s};
    request.size = 320;
    request.budget_seconds = 3;
    request.helper_program = DUOBLAS_COMMAND;
    return request;
  }
};

template <typename Kernels>
void expect_found(Engine& engine, StreamTuneRequest request,
                  const TunedKernelsOf<typename Kernels::Kernel> TunedStreams::*of) {
  SCOPED_TRACE(Kernels::name);
  request.routine = Kernels::name;
  Journal journal;
  TunedStreams tuned;
  const auto findings = tune_streams(
      engine, request, journal,
      [](const auto& kernel, const auto& why) { ADD_FAILURE() << kernel << ": " << why; }, tuned);
  ASSERT_EQ(findings.size(), Kernels::has_forms ? 2u : 1u);
  for (const StreamFinding& finding : findings) {
    const auto& found = (tuned.*of)[precision_index(Precision::s)][finding.transposes ? 1 : 0];
    ASSERT_TRUE(found);
    EXPECT_EQ(describe(found->kernel), finding.kernel);
    EXPECT_TRUE(
        Kernels::is_legal(found->kernel, engine.gpu()->limits(), Precision::s, finding.transposes));
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
  EXPECT_EQ(findings.back().transposes, Kernels::has_forms);
}

TEST_F(StreamTuningTest, FindsAKernelForEachForm) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  expect_found<GemvKernels>(engine, small_request(), &TunedStreams::gemv);
  expect_found<GerKernels>(engine, small_request(), &TunedStreams::ger);
  expect_found<AxpyKernels>(engine, small_request(), &TunedStreams::axpy);
  expect_found<CopyKernels>(engine, small_request(), &TunedStreams::omatcopy);
}

// What was noted before it was interrupted is not measured again; after its end all is.
TEST_F(StreamTuningTest, GoesOnFromItsJournal) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  StreamTuneRequest request = small_request();
  request.routine = "axpy";
  const UpdateKernel builtin = AxpyKernels::builtin(engine.gpu()->limits(), Precision::s, false);
  const std::string path = directory_ / "axpy.journal";
  const std::string rejected = "saxpy n, " + describe(builtin);
  UpdateKernel neighbour = builtin;  // the first step of the first axis
  neighbour.lines *= 2;
  const std::string noted = "saxpy n, " + describe(neighbour);
  const auto tune = [&](Journal& journal) {
    journal.begin("axpy");
    int rejections = 0;
    TunedStreams tuned;
    try {
      tune_streams(
          engine, request, journal,
          [&](const auto& kernel, const auto& why) {
            EXPECT_EQ(kernel, rejected);
            EXPECT_EQ(why, "as noted");
            ++rejections;
          },
          tuned);
    } catch (const DeviceError&) {
      // Where no other kernel was within the time.
    }
    return rejections;
  };
  {
    Journal journal(path, JournalHeader(), false);
    journal.begin("axpy");
    journal.note({rejected, 0, "as noted"});
    journal.note({noted, 1e-9, ""});
  }
  {
    Journal journal(path, JournalHeader(), false);
    EXPECT_EQ(tune(journal), 1);
    ASSERT_TRUE(journal.timed(noted));
    EXPECT_EQ(journal.timed(noted)->seconds, 1e-9) << "it was measured again";
    journal.finish();
  }
  Journal journal(path, JournalHeader(), false);
  EXPECT_EQ(tune(journal), 0);
}

TEST_F(StreamTuningTest, RejectsKernelsThatComputeSomethingElse) {
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
  StreamTuneRequest request = small_request();
  request.transposes = {false};
  int rejected = 0;
  // However long a busy machine would take for the built-in one, there is time for the first step,
  // which is to twice as many lines.
  const GemvKernel builtin = GemvKernels::builtin(engine.gpu()->limits(), Precision::s, false);
  Journal journal;
  journal.note({"sgemv n, " + describe(builtin), 1, ""});
  TunedStreams tuned;
  tune_streams(
      engine, request, journal,
      [&](const auto& kernel, const auto&) {
        EXPECT_NE(kernel.find("lines 8"), std::string::npos) << kernel;
        ++rejected;
      },
      tuned);
  EXPECT_GT(rejected, 0);
  EXPECT_LE(tuned.gemv[precision_index(Precision::s)][0]->kernel.lines, 4);
}

TEST_F(StreamTuningTest, SaysSoWhereNoChildCanBeStarted) {
  Engine engine(settings());
  StreamTuneRequest request = small_request();
  request.helper_program = "/nowhere/duoblas";
  Journal journal;
  TunedStreams tuned;
  EXPECT_THROW(tune_streams(
                   engine, request, journal, [](const auto&, const auto&) {}, tuned),
               Error);
}

TEST_F(StreamTuningTest, WhatTheProfileHasIsUsed) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  const GpuSide& gpu = *engine.gpu();
  GemvProblem problem;
  problem.rows = problem.columns = problem.lda = 64;
  const GemvRoutine routine(problem, nullptr);
  const GemvKernel builtin = routine.kernel(gpu);
  GemvKernel other = builtin;
  other.lines = 2;
  Profile profile = test::paper_profile();
  profile.streams.gemv[precision_index(Precision::s)][0] = TunedKernel<GemvKernel>{other, 1e9};
  engine.facts().adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), other);
  EXPECT_EQ(routine.unit(gpu), 2);
  profile.streams.gemv[precision_index(Precision::s)][0]->kernel.across = 1 << 20;
  engine.facts().adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), builtin) << "no device can launch that";
  profile.streams.gemv = {};
  engine.facts().adopt(profile);
  EXPECT_EQ(routine.kernel(gpu), builtin);
  const UpdateKernel lines_of_64{2, 1, 1, 64};
  const CopyKernel tiles_of_8{8, 1, 1, 1};
  profile.streams.axpy[precision_index(Precision::d)][0] =
      TunedKernel<UpdateKernel>{lines_of_64, 1e9};
  profile.streams.omatcopy[precision_index(Precision::s)][1] =
      TunedKernel<CopyKernel>{tiles_of_8, 1e9};
  engine.facts().adopt(profile);
  AxpyProblem doubles, singles;
  doubles.precision = Precision::d;
  EXPECT_EQ(AxpyRoutine(doubles).kernel(gpu), lines_of_64);
  EXPECT_NE(AxpyRoutine(singles).kernel(gpu), lines_of_64);
  CopyProblem transposed, plain;
  transposed.transposes = true;
  EXPECT_EQ(CopyRoutine(transposed).kernel(gpu), tiles_of_8);
  EXPECT_NE(CopyRoutine(plain).kernel(gpu), tiles_of_8);
}

}  // namespace
}  // namespace duoblas

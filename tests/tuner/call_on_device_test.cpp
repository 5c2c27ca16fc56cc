// Products of operands that are in the device's memory, as the tuner times them.
#include "tuner/call_on_device.hpp"

#include <gtest/gtest.h>

#include "kernel_space/kernel_defaults.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/live_evaluator.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/use_kernels.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

class CallOnDeviceTest : public ::testing::Test {
 protected:
  static Settings settings(const test::TemporaryDirectory& directory) {
    Settings settings;
    settings.standin = true;
    settings.cache_dir = directory / "cache";
    return settings;
  }
  void SetUp() override { ASSERT_NE(engine_.gpu(), nullptr) << engine_.facts().gpu_problem(); }

  test::TemporaryDirectory directory_;
  Engine engine_{settings(directory_)};
};

TEST_F(CallOnDeviceTest, IsTimedAndLeavesTheCallersCAlone) {
  for (const Op op : {Op::none, Op::transpose}) {
    MeasuredProblem measured(row_major_call(Precision::d, op, Op::none, 97, 65, 130), 1);
    const GemmProblem& problem = measured.problem();
    CallOnDevice call(engine_, problem);
    measured.poison_c();
    for (const Sides sides : {Sides::device, Sides::update}) {
      const auto sample =
          call.sample(default_kernel(problem.precision, engine_.machine().device), sides, 2);
      ASSERT_TRUE(sample);
      EXPECT_GT(sample->whole, 0);
      EXPECT_EQ(sample->cpu, 0);
    }
    EXPECT_FALSE(is_finite_c(problem)) << "nothing comes back";
  }
}

class Rejections : public TuneListener {
 public:
  void progress(const TuneProgress&) override {}
  void rejected(const std::string&, const std::string& why) override { rejections.push_back(why); }
  void tuned(const TunedPoint&) override {}
  std::vector<std::string> rejections;
};

TEST_F(CallOnDeviceTest, TakesTurnsWithCallsThatBringTheirOperands) {
  TuneRequest request;
  request.helper_program = DUOBLAS_COMMAND;
  request.as_is = true;
  Journal journal;
  Rejections listener;
  Session session(request, journal, listener);
  KernelPool kernels(journal, listener, {request.helper_program, engine_.settings(), 1, 30});
  TuneContext context{engine_, session, kernels, engine_.machine()};
  const MeasuredProblem problem(row_major_call(Precision::s, Op::none, Op::none, 96, 96, 96), 1);
  SearchSpace space;
  space.kernels = {default_kernel(Precision::s, context.machine.device)};
  space.sharings = {SharingMode::staged};
  space.cpus = {context.machine.cpu_for(Precision::s)};
  LiveEvaluator evaluator(context, problem, space);
  Batch batch;
  batch.trials = {gpu_trial(0, 0)};
  for (const Sides sides : {Sides::device, Sides::update})
    batch.trials.push_back({{0, 0, 0, 0}, sides});
  batch.rounds = 4;
  for (int again = 0; again < 2; ++again) {
    const auto outcomes = evaluator.measure(batch);
    ASSERT_EQ(outcomes.size(), batch.trials.size());
    for (const TrialOutcome& outcome : outcomes) {
      EXPECT_FALSE(outcome.failed);
      // Two rounds are enough for a trial that a busy machine makes look hopelessly slow.
      EXPECT_GE(outcome.samples.size(), 2u);
      EXPECT_LE(outcome.samples.size(), 4u);
    }
    evaluator.use(space);  // lets go of the operands, which come again
  }
  EXPECT_TRUE(listener.rejections.empty());

  FinalChoice decision;
  decision.point.m = decision.point.n = decision.point.k = 96;
  decision.point.gpu = {space.kernels.front(), SharingMode::host_pointer, {16, 16}, 1e-3};
  tune_uses(context, evaluator, {}, 100, decision);
  EXPECT_TRUE(decision.point.uses.empty()) << "whole calls copy nothing";
  decision.point.gpu.sharing = SharingMode::staged;
  tune_uses(context, evaluator, {}, 0, decision);
  EXPECT_TRUE(decision.point.uses.empty()) << "there is no time";
  tune_uses(context, evaluator, {}, 100, decision);
  for (const KernelUse use : tuned_uses) {
    ASSERT_TRUE(decision.point.uses.contains(use));
    EXPECT_EQ(decision.point.uses.at(use).kernel, space.kernels.front()) << "there is no other";
    EXPECT_GT(decision.point.uses.at(use).seconds, 0);
  }
}

}  // namespace
}  // namespace duoblas

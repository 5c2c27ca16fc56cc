// Products of operands that are in the device's memory, as the tuner times them.
#include "tuner/call_on_device.hpp"

#include <gtest/gtest.h>

#include "kernel_space/kernel_defaults.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/live_evaluator.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/trial_patience.hpp"
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

// Of one kernel, with which all uses have the same.
struct TunedUses {
  explicit TunedUses(Engine& engine)
      : kernels(journal, listener, {DUOBLAS_COMMAND, engine.settings(), 1, test::trial_patience}),
        context{engine, session, kernels, engine.machine()} {
    space.kernels = {default_kernel(Precision::s, context.machine.device)};
    space.sharings = {SharingMode::staged};
    space.cpus = {context.machine.cpu_for(Precision::s)};
    evaluator.use(space);
    decision.point.m = decision.point.n = decision.point.k = 96;
    decision.point.gpu = {space.kernels.front(), SharingMode::staged, {16, 16}, 1e-3};
  }
  static TuneRequest as_is() {
    TuneRequest request;
    request.as_is = true;
    return request;
  }

  const TuneRequest request = as_is();
  Journal journal;
  Rejections listener;
  Session session{request, journal, listener};
  KernelPool kernels;
  TuneContext context;
  const MeasuredProblem problem{row_major_call(Precision::s, Op::none, Op::none, 96, 96, 96), 1};
  SearchSpace space;
  LiveEvaluator evaluator{context, problem, space};
  FinalChoice decision;
};

TEST_F(CallOnDeviceTest, TakesTurnsWithCallsThatBringTheirOperands) {
  TunedUses tuning(engine_);
  LiveEvaluator& evaluator = tuning.evaluator;
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
    evaluator.use(tuning.space);  // lets go of the operands, which come again
  }
  EXPECT_TRUE(tuning.listener.rejections.empty());

  TunedPoint& point = tuning.decision.point;
  point.gpu.sharing = SharingMode::host_pointer;
  tune_uses(tuning.context, evaluator, {}, 100, tuning.decision);
  EXPECT_TRUE(point.uses.empty()) << "whole calls copy nothing";
  point.gpu.sharing = SharingMode::staged;
  tune_uses(tuning.context, evaluator, {}, 0, tuning.decision);
  EXPECT_TRUE(point.uses.empty()) << "there is no time";
  tune_uses(tuning.context, evaluator, {}, 100, tuning.decision);
  for (const KernelUse use : tuned_uses) {
    ASSERT_TRUE(point.uses.contains(use));
    EXPECT_EQ(point.uses.at(use).kernel, tuning.space.kernels.front()) << "there is no other";
    EXPECT_GT(point.uses.at(use).seconds, 0);
  }
}

// The device's own products took too long for more than the first, and updates did not.
TEST_F(CallOnDeviceTest, AreTakenFromTheJournalAsFarAsATuningWentBefore) {
  TunedUses tuning(engine_);
  const auto note = [&](Sides sides, int rounds, double seconds) {
    TrialOutcome outcome;
    outcome.samples.assign(static_cast<std::size_t>(rounds), {seconds, seconds, 0, 0});
    tuning.journal.measured(tuning.space, {{normal_form({{0, 0, 0, 0}, sides})}, rounds},
                            {outcome});
  };
  tuning.journal.begin("request");
  note(Sides::device, 1, 1e3);
  note(Sides::update, 1, 1e-3);
  note(Sides::update, 5, 2e-3);
  tuning.journal.begin("request");
  ASSERT_TRUE(tuning.journal.replays());
  tune_uses(tuning.context, tuning.evaluator, {}, 100, tuning.decision);
  EXPECT_FALSE(tuning.journal.replays());
  const auto& uses = tuning.decision.point.uses;
  EXPECT_FALSE(uses.contains(KernelUse::resident));
  ASSERT_TRUE(uses.contains(KernelUse::update));
  EXPECT_EQ(uses.at(KernelUse::update).seconds, 2e-3) << "it was measured again";
}

}  // namespace
}  // namespace duoblas

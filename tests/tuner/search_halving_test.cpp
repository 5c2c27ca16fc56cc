// How near the default search comes to the best, on machines where that is known.
#include <gtest/gtest.h>

#include <utility>

#include "tests/tuner/search_machines.hpp"
#include "timing/median.hpp"

namespace duoblas {
namespace {

// Of answer_over_best() at a part of the recorded seconds: over five machines of a kind with four
// seeds each.
double median_answer(SyntheticMachine machine, double part_of_recorded) {
  const std::vector<KernelParams> kernels = some_kernels(150);
  std::vector<double> answers;
  for (machine.seed = 1; machine.seed <= 5; ++machine.seed) {
    const Recording recording = synthetic_recording(kernels, machine);
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const SearchTask task = task_for(recording, part_of_recorded, seed);
      answers.push_back(answer_over_best(recording, play("halving", recording, task).result));
    }
  }
  return median(std::move(answers));
}

struct NamedMachine {
  std::string name;
  SyntheticMachine machine;
};

std::vector<NamedMachine> machines() {
  SyntheticMachine plain;
  std::vector<NamedMachine> all = {{"Plain", plain}};
  const auto add = [&](const std::string& name) -> SyntheticMachine& {
    all.push_back({name, plain});
    return all.back().machine;
  };
  add("WhereTheBestAloneIsNotTheBestTogether").contention = 0.3;
  add("WithAStrongGpu").gpu_share = 0.8;
  add("WithAWeakGpu").gpu_share = 0.2;
  add("ThatIsNoisy").noise = 0.03;
  add("ThatDrifts").drift = 0.02;
  add("WithSeveralCpuConfigurations").cpus = 4;
  add("WithManyKernelsThatAreWrong").failing = 0.2;
  add("WithLongCalls").call_seconds = 0.1;
  return all;
}

class HalvingOnAMachine : public testing::TestWithParam<NamedMachine> {};

TEST_P(HalvingOnAMachine, ComesWithinThreePercentAtATwentiethOfTheRecordedSeconds) {
  EXPECT_LT(median_answer(GetParam().machine, 0.05), 1.03);
}

INSTANTIATE_TEST_SUITE_P(MadeUp, HalvingOnAMachine, testing::ValuesIn(machines()),
                         [](const auto& info) { return info.param.name; });

TEST(Halving, FindsWhatIsBestTogetherWhereThatIsNotTheBestAlone) {
  SyntheticMachine machine;
  machine.contention = 0.4;
  machine.noise = 0.002;
  machine.drift = 0;
  int differ = 0;
  for (machine.seed = 1; machine.seed <= 5; ++machine.seed) {
    const Recording recording = synthetic_recording(some_kernels(40), machine);
    const Played played = play("halving", recording, task_for(recording, 0.3, 1));
    EXPECT_LT(answer_over_best(recording, played.result), 1.015) << machine.seed;
    differ += played.result.ranked.front().candidate.kernel !=
              played.result.alone.front().candidate.kernel;
  }
  EXPECT_GE(differ, 3);
}

TEST(Halving, BuildsFewKernels) {
  const Recording recording = synthetic_recording(some_kernels(150), {});
  const Played played = play("halving", recording, task_for(recording, 0.05, 1));
  std::set<int> kernels;
  for (const Trial& trial : played.asked) kernels.insert(trial.candidate.kernel);
  EXPECT_GT(kernels.size(), 4u);
  EXPECT_LT(kernels.size(), 50u);
}

TEST(Halving, AnswersFromItsFirstBatchWhereThereIsNoTimeForMore) {
  const Recording recording = synthetic_recording(some_kernels(150), {});
  SearchTask task = task_for(recording, 1, 1);
  task.budget_seconds = 1e-6;
  const Played played = play("halving", recording, task);
  ASSERT_FALSE(played.result.ranked.empty());
  EXPECT_EQ(played.result.ranked.front().candidate.kernel, 0);
}

TEST(Halving, GoesOnToTheNextKernelWhereTheFirstOnesAreWrong) {
  Recording recording = synthetic_recording(some_kernels(20), {});
  for (int kernel = 0; kernel < 3; ++kernel) {
    recording.build_seconds[static_cast<std::size_t>(kernel)] = -0.6;
    std::erase_if(recording.trials, [&](const auto& entry) {
      return entry.first.sides != Sides::cpu && entry.first.candidate.kernel == kernel;
    });
    std::erase_if(recording.again, [&](const auto& entry) { return entry.first.kernel == kernel; });
  }
  const Played played = play("halving", recording, task_for(recording, 0.5, 1));
  EXPECT_LT(answer_over_best(recording, played.result), 1.05);
}

TEST(Halving, DoesWithoutACpuSideThatCanBeMeasuredAlone) {
  Recording recording = synthetic_recording(some_kernels(20), {});
  std::erase_if(recording.trials,
                [](const auto& entry) { return entry.first.sides == Sides::cpu; });
  const Played played = play("halving", recording, task_for(recording, 0.5, 1));
  EXPECT_LT(answer_over_best(recording, played.result), 1.05);
}

TEST(Halving, EndsWhereKernelsWorkAloneOnly) {
  for (const int working : {0, 1, 3}) {
    Recording recording = synthetic_recording(some_kernels(40), {});
    std::erase_if(recording.trials, [&](const auto& entry) {
      return entry.first.sides == Sides::both && entry.first.candidate.kernel >= working;
    });
    for (const double part : {0.01, 0.05, 0.2, 0.5, 1.0, 2.0})
      for (unsigned seed = 1; seed <= 3; ++seed) {
        const Played played = play("halving", recording, task_for(recording, part, seed));
        EXPECT_EQ(played.result.ranked.empty(), working == 0) << working << ' ' << part;
      }
  }
}

}  // namespace
}  // namespace duoblas

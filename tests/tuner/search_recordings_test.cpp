// The default search on what was really measured: journals of exhaustive searches, kept as data.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tuner/search_machines.hpp"
#include "timing/median.hpp"
#include "tuner/journal_recording.hpp"

namespace duoblas {
namespace {

Recording recorded(const std::string& name) {
  const std::string path = DUOBLAS_TEST_RECORDINGS "/" + name + ".journal";
  return recording_from_journal(path, recorded_cases(path).at(0));
}

class RecordedMachine : public testing::TestWithParam<std::string> {
 protected:
  const Recording recording_ = recorded(GetParam());
};

TEST_P(RecordedMachine, WasMeasuredAtTwoThousandPointsAndTheBestAgain) {
  const auto together = [](const auto& entry) { return entry.first.sides == Sides::both; };
  EXPECT_GE(std::ranges::count_if(recording_.trials, together), 2000);
  for (const auto& [trial, samples] : recording_.trials) {
    // What is three times as slow as the best is known well enough by two calls.
    EXPECT_GE(samples.size(), 2u);
    for (const CallSample& s : samples) {
      EXPECT_GT(s.whole, 0);
      const bool with_cpu =
          trial.sides != Sides::gpu && trial.candidate.gpu_parts < recording_.space.parts;
      EXPECT_TRUE(s.gpu > 0 || trial.sides == Sides::cpu);
      EXPECT_TRUE(s.cpu > 0 || !with_cpu);
    }
  }
  EXPECT_GE(recording_.again.size(), 20u);
  for (const int kernel : {0, 1, 2})
    EXPECT_TRUE(recording_.trials.contains(gpu_trial(kernel, 0))) << kernel;
  EXPECT_TRUE(recording_.trials.contains(cpu_trial(0)));
}

double median_answer(const Recording& recording) {
  std::vector<double> answers;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const SearchTask task = task_for(recording, 0.05, seed);
    answers.push_back(answer_over_best(recording, play("halving", recording, task).result));
  }
  return median(std::move(answers));
}

TEST_P(RecordedMachine, IsSearchedToThreePercentAtATwentiethOfTheRecordedSeconds) {
  EXPECT_LE(median_answer(recording_), 1.03);
}

INSTANTIATE_TEST_SUITE_P(Recordings, RecordedMachine, testing::Values("standin", "h200"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace duoblas

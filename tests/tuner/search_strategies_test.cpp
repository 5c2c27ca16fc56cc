// What every search promises, whatever it does inside.
#include <gtest/gtest.h>

#include <limits>

#include <duoblas/error.hpp>

#include "tests/tuner/search_machines.hpp"

namespace duoblas {
namespace {

Recording small_recording() {
  SyntheticMachine machine;
  machine.failing = 0.3;
  machine.cpus = 2;
  machine.parts = 8;
  return synthetic_recording(some_kernels(12), machine);
}

class EverySearch : public testing::TestWithParam<std::string> {};

TEST_P(EverySearch, EndsByItselfWhenTheBudgetDoesNot) {
  const Recording recording = small_recording();
  SearchTask task = task_for(recording, 1, 1);
  task.budget_seconds = std::numeric_limits<double>::infinity();
  const Played played = play(GetParam(), recording, task);
  EXPECT_LT(answer_over_best(recording, played.result), 1.2);
}

TEST_P(EverySearch, ExceedsItsBudgetByItsLastBatchAtMost) {
  SyntheticMachine machine;
  const Recording recording = synthetic_recording(some_kernels(60), machine);
  for (const double part : {0.001, 0.02, 0.1}) {
    const SearchTask task = task_for(recording, part, 1);
    const Played played = play(GetParam(), recording, task);
    EXPECT_LT(played.result.cost - played.last_batch_cost, task.budget_seconds);
    EXPECT_FALSE(played.result.ranked.empty());
  }
}

TEST_P(EverySearch, AsksForNothingAgainThatFailed) {
  const Recording recording = small_recording();
  for (unsigned seed = 1; seed <= 5; ++seed)
    EXPECT_FALSE(play(GetParam(), recording, task_for(recording, 0.5, seed)).asked_again);
}

TEST_P(EverySearch, AsksOnlyForWhatIsInTheSpace) {
  const Recording recording = small_recording();
  const SearchSpace& space = recording.space;
  for (const Trial& trial : play(GetParam(), recording, task_for(recording, 1, 3)).asked) {
    EXPECT_EQ(trial, normal_form(trial));
    const Candidate& c = trial.candidate;
    EXPECT_TRUE(c.kernel >= 0 && c.kernel < std::ssize(space.kernels));
    EXPECT_TRUE(c.sharing >= 0 && c.sharing < std::ssize(space.sharings));
    EXPECT_TRUE(c.cpu >= 0 && c.cpu < std::ssize(space.cpus));
    if (trial.sides == Sides::both) {
      EXPECT_TRUE(c.gpu_parts >= 1 && c.gpu_parts <= space.parts);
    }
  }
}

TEST_P(EverySearch, WalksTheSameWayWithTheSameSeed) {
  const Recording recording = small_recording();
  const SearchTask task = task_for(recording, 0.4, 7);
  EXPECT_EQ(play(GetParam(), recording, task).asked, play(GetParam(), recording, task).asked);
}

TEST_P(EverySearch, EndsWithoutAnAnswerWhereEverythingFails) {
  SyntheticMachine machine;
  machine.failing = 2;
  const Recording recording = synthetic_recording(some_kernels(8), machine);
  SearchTask task = task_for(recording, 1, 1);
  task.budget_seconds = std::numeric_limits<double>::infinity();
  const Played played = play(GetParam(), recording, task);
  EXPECT_TRUE(played.result.ranked.empty());
  EXPECT_FALSE(played.asked_again);
}

TEST_P(EverySearch, FindsTheOnlyCandidateOfASpaceOfOne) {
  SyntheticMachine machine;
  machine.parts = 1;
  const Recording recording = synthetic_recording(some_kernels(1), machine);
  const Played played = play(GetParam(), recording, task_for(recording, 5, 1));
  ASSERT_EQ(played.result.ranked.size(), 1u);
  EXPECT_EQ(played.result.ranked.front().candidate, (Candidate{0, 0, 0, 1}));
}

TEST_P(EverySearch, FindsTheBestShareOfASingleKernel) {
  SyntheticMachine machine;
  machine.noise = 0.001;
  machine.drift = 0;
  const Recording recording = synthetic_recording(some_kernels(1), machine);
  const Played played = play(GetParam(), recording, task_for(recording, 5, 1));
  EXPECT_LT(answer_over_best(recording, played.result), 1.01);
}

TEST_P(EverySearch, MeasuresNothingWithoutABudget) {
  const Recording recording = small_recording();
  const Played played = play(GetParam(), recording, task_for(recording, 0, 1));
  EXPECT_TRUE(played.asked.empty());
  EXPECT_TRUE(played.result.ranked.empty());
}

TEST_P(EverySearch, SurvivesThatJoulesAreAskedForAndWereNotMeasured) {
  const Recording recording = small_recording();
  SearchTask task = task_for(recording, 0.5, 1);
  task.goal = Goal::energy;
  EXPECT_FALSE(play(GetParam(), recording, task).result.ranked.empty());
}

INSTANTIATE_TEST_SUITE_P(Names, EverySearch, testing::ValuesIn(search_names()),
                         [](const auto& info) { return info.param; });

TEST(Exhaustive, FindsTheBest) {
  SyntheticMachine machine;
  machine.noise = 0.001;
  machine.drift = 0;
  machine.contention = 0.2;
  const Recording recording = synthetic_recording(some_kernels(30), machine);
  const Played played = play("exhaustive", recording, task_for(recording, 2, 1));
  EXPECT_LT(answer_over_best(recording, played.result), 1.002);
}

TEST(SearchNames, OfNoSearchAreRefusedWithThoseThatThereAre) {
  try {
    make_search("genetic", task_for(small_recording(), 1, 1));
    FAIL() << "there is no such search";
  } catch (const SettingError& error) {
    for (const std::string& name : search_names())
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
  EXPECT_EQ(search_names().front(), "halving");
}

}  // namespace
}  // namespace duoblas

// A recorded search space that is played again, and the loop that searches it.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuner/search_machines.hpp"

namespace duoblas {
namespace {

CallSample whole(double seconds) {
  CallSample sample;
  sample.whole = seconds;
  return sample;
}

// Two kernels, the second wrong; the first with one share and the samples 1, 2, 3.
Recording tiny_recording() {
  Recording recording;
  recording.space.kernels = some_kernels(2);
  recording.space.sharings = {SharingMode::host_pointer};
  recording.space.cpus.resize(1);
  recording.space.parts = 2;
  recording.build_seconds = {10, -20};
  recording.trials[both_trial({0, 0, 0, 1})] = {whole(1), whole(2), whole(3)};
  return recording;
}

TrialOutcome measured(Replay& replay, const Trial& trial, int rounds) {
  return replay.measure({{trial}, rounds}).front();
}

TEST(Replay, ChargesEverySampleAndBuildingOnce) {
  const Recording recording = tiny_recording();
  Replay replay(recording, 1);
  EXPECT_DOUBLE_EQ(measured(replay, both_trial({0, 0, 0, 1}), 3).cost, 16);
  EXPECT_DOUBLE_EQ(measured(replay, both_trial({0, 0, 0, 1}), 3).cost, 6);
}

TEST(Replay, GivesTheSamplesInACircle) {
  const Recording recording = tiny_recording();
  Replay replay(recording, 4);
  const auto samples = measured(replay, both_trial({0, 0, 0, 1}), 7).samples;
  ASSERT_EQ(samples.size(), 7u);
  for (std::size_t i = 0; i + 1 < samples.size(); ++i)
    EXPECT_DOUBLE_EQ(samples[i + 1].whole, std::fmod(samples[i].whole, 3) + 1);
}

TEST(Replay, FailsAKernelThatWasWrongAndChargesItOnce) {
  const Recording recording = tiny_recording();
  Replay replay(recording, 1);
  const TrialOutcome first = measured(replay, both_trial({1, 0, 0, 1}), 3);
  EXPECT_TRUE(first.failed);
  EXPECT_TRUE(first.samples.empty());
  EXPECT_DOUBLE_EQ(first.cost, 20);
  EXPECT_DOUBLE_EQ(measured(replay, gpu_trial(1, 0), 3).cost, 0);
}

TEST(Replay, FailsWhatWasNotRecorded) {
  const Recording recording = tiny_recording();
  Replay replay(recording, 1);
  EXPECT_TRUE(measured(replay, both_trial({0, 0, 0, 2}), 3).failed);
  EXPECT_TRUE(measured(replay, cpu_trial(0), 3).failed);
}

TEST(Replay, StartsElsewhereWithAnotherSeed) {
  const Recording recording = tiny_recording();
  std::set<double> firsts;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Replay replay(recording, seed);
    firsts.insert(measured(replay, both_trial({0, 0, 0, 1}), 1).samples.front().whole);
  }
  EXPECT_EQ(firsts.size(), 3u);
}

TEST(RecordedSeconds, AreThoseOfBuildingAndOfEverySample) {
  EXPECT_DOUBLE_EQ(recorded_seconds(tiny_recording()), 36);
}

TEST(TrueSeconds, AreThoseOfTheSecondRunWhereThereWasOne) {
  Recording recording = tiny_recording();
  EXPECT_DOUBLE_EQ(true_seconds(recording, {0, 0, 0, 1}), 2);
  EXPECT_DOUBLE_EQ(least_seconds(recording), 2);
  recording.again[{0, 0, 0, 1}] = {whole(5)};
  EXPECT_DOUBLE_EQ(true_seconds(recording, {0, 0, 0, 1}), 5);
  EXPECT_DOUBLE_EQ(least_seconds(recording), 5);
  EXPECT_TRUE(std::isinf(true_seconds(recording, {1, 0, 0, 1})));
}

TEST(Score, IsTheMedianOfWhatIsAskedFor) {
  std::vector<CallSample> samples = {whole(3), whole(1), whole(2)};
  EXPECT_DOUBLE_EQ(score(samples, Goal::throughput), 2);
  EXPECT_TRUE(std::isinf(score(samples, Goal::energy)));
  for (CallSample& sample : samples) sample.joules = 10 * sample.whole;
  EXPECT_DOUBLE_EQ(score(samples, Goal::energy), 20);
  EXPECT_DOUBLE_EQ(score(samples, Goal::energy_delay), 40);
  EXPECT_TRUE(std::isinf(score({}, Goal::throughput)));
}

// Asks for the given batches.
class Script : public SearchStrategy {
 public:
  explicit Script(std::vector<Batch> batches) : batches_(std::move(batches)) {}
  Batch next() override { return place_ < batches_.size() ? batches_[place_] : Batch{}; }
  void report(const Batch&, const std::vector<TrialOutcome>&) override { ++place_; }

 private:
  std::vector<Batch> batches_;
  std::size_t place_ = 0;
};

TEST(RunSearch, RanksAFewLuckySamplesBehindManyOfTheSameScore) {
  Recording recording = tiny_recording();
  recording.trials[both_trial({0, 0, 0, 1})] = {whole(1.00), whole(1.04), whole(0.96)};
  recording.trials[both_trial({0, 0, 0, 2})] = {whole(0.999), whole(1.039), whole(0.959)};
  Script script({{{both_trial({0, 0, 0, 1})}, 12}, {{both_trial({0, 0, 0, 2})}, 3}});
  Replay replay(recording, 1);
  const SearchResult result = run_search(script, replay, task_for(recording, 10, 1));
  ASSERT_EQ(result.ranked.size(), 2u);
  EXPECT_EQ(result.ranked.front().candidate.gpu_parts, 1);
}

TEST(RunSearch, RanksFewerThanThreeSamplesLast) {
  Recording recording = tiny_recording();
  recording.trials[both_trial({0, 0, 0, 2})] = {whole(0.1)};
  Script script({{{both_trial({0, 0, 0, 2})}, 2}, {{both_trial({0, 0, 0, 1})}, 3}});
  Replay replay(recording, 1);
  const SearchResult result = run_search(script, replay, task_for(recording, 10, 1));
  EXPECT_EQ(result.ranked.front().candidate.gpu_parts, 1);
  EXPECT_EQ(result.trials, 2);
}

// Has no time for anything.
class Exhausted : public Evaluator {
 public:
  std::vector<TrialOutcome> measure(const Batch& batch) override {
    return std::vector<TrialOutcome>(batch.trials.size());
  }
};

TEST(RunSearch, EndsWhenTheEvaluatorHasNoTimeLeft) {
  const Recording recording = synthetic_recording(some_kernels(5), {});
  const SearchTask task = task_for(recording, 1, 1);
  for (const std::string& name : search_names()) {
    const auto strategy = make_search(name, task);
    Exhausted exhausted;
    EXPECT_TRUE(run_search(*strategy, exhausted, task).ranked.empty());
  }
}

TEST(RunSearch, TellsOfEveryBatchAndNotesProgress) {
  const Recording recording = synthetic_recording(some_kernels(20), {});
  const SearchTask task = task_for(recording, 0.3, 1);
  const auto strategy = make_search("halving", task);
  Replay replay(recording, 1);
  int told = 0;
  const SearchResult result =
      run_search(*strategy, replay, task, [&](const SearchResult&) { ++told; });
  EXPECT_GT(told, 3);
  ASSERT_FALSE(result.progress.empty());
  for (std::size_t i = 1; i < result.progress.size(); ++i) {
    EXPECT_LT(result.progress[i].score, result.progress[i - 1].score);
    EXPECT_GE(result.progress[i].cost, result.progress[i - 1].cost);
  }
  EXPECT_FALSE(result.alone.empty());
}

}  // namespace
}  // namespace duoblas

// A journal becomes what strategies are compared on.
#include "tuner/journal_recording.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "simulation/replay.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/journal.hpp"

namespace duoblas {
namespace {

class RecordingOfAJournal : public ::testing::Test {
 protected:
  RecordingOfAJournal() {
    space_.kernels.resize(2);
    space_.kernels[1].tile_rows = 4;
    space_.sharings = {SharingMode::staged};
    space_.cpus.resize(1);
    Journal journal(path_, {{"device", "driver", "processor x2", true}, "1"}, false);
    journal.begin("request");
    journal.begin_case("CPU BLAS", 0);
    journal.begin_case("sgemm nn 8 x 8 x 8", 5);
    journal.tried(space_.kernels[0], "sgemm nn", {Verdict::right, "", 0.5, 0});
    journal.tried(space_.kernels[1], "sgemm nn", {Verdict::wrong, "all of it", 0.25, 0});
    journal.tried(space_.kernels[0], "sgemm nt", {Verdict::right, "", 99, 0});
    add(journal, {{{0, 0, 0, 0}, Sides::gpu}, {{1, 0, 0, 4}, Sides::both}}, {5e-3, 0});
    add(journal, {{{0, 0, 0, 8}, Sides::both}}, {3e-3});
    add(journal, {{{0, 0, 0, 8}, Sides::both}}, {4e-3}, 15);
    SearchSpace fine = space_;
    fine.parts = 64;
    std::swap(space_, fine);
    add(journal, {{{0, 0, 0, 33}, Sides::both}}, {1e-3});
    std::swap(space_, fine);
    journal.begin_case("sgemm nn 9 x 9 x 9", 5);
    add(journal, {{{0, 0, 0, 2}, Sides::both}, {{0, 0, 0, 0}, Sides::device}}, {7e-3, 1e-3});
  }

  // Twice so many seconds each; 0: failed.
  void add(Journal& journal, const std::vector<Trial>& trials, const std::vector<double>& seconds,
           int rounds = 2) {
    std::vector<TrialOutcome> outcomes;
    for (const double s : seconds) {
      TrialOutcome outcome;
      outcome.failed = s == 0;
      if (s > 0) outcome.samples = {{s, s, s, 0}, {s, s, s, 0}};
      outcomes.push_back(outcome);
    }
    journal.measured(space_, {trials, rounds}, outcomes);
  }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "journal.jsonl";
  SearchSpace space_;
};

TEST_F(RecordingOfAJournal, HoldsWhatWasMeasuredOfOneProduct) {
  const Recording recording = recording_from_journal(path_, "sgemm nn 8 x 8 x 8");
  EXPECT_EQ(recording.space.kernels, space_.kernels);
  EXPECT_EQ(recording.space.parts, 16);
  EXPECT_EQ(recording.build_seconds, (std::vector<double>{0.5, -0.25}));
  ASSERT_EQ(recording.trials.size(), 2u);
  EXPECT_DOUBLE_EQ(recording.trials.at(gpu_trial(0, 0)).at(1).whole, 5e-3);
  EXPECT_DOUBLE_EQ(recording.trials.at(both_trial({0, 0, 0, 8})).at(0).whole, 3e-3);
}

TEST_F(RecordingOfAJournal, LeavesOutWhatNoSearchAsksFor) {
  const Recording recording = recording_from_journal(path_, "sgemm nn 9 x 9 x 9");
  ASSERT_EQ(recording.trials.size(), 1u);
  EXPECT_TRUE(recording.trials.contains(both_trial({0, 0, 0, 2})));
}

TEST_F(RecordingOfAJournal, TakesManyRoundsForTheTruth) {
  const Recording recording = recording_from_journal(path_, "sgemm nn 8 x 8 x 8");
  ASSERT_EQ(recording.again.size(), 1u);
  EXPECT_DOUBLE_EQ(true_seconds(recording, {0, 0, 0, 8}), 4e-3);
}

TEST_F(RecordingOfAJournal, KnowsTheProductsThatWereSearched) {
  EXPECT_EQ(recorded_cases(path_),
            (std::vector<std::string>{"sgemm nn 8 x 8 x 8", "sgemm nn 9 x 9 x 9"}));
}

TEST_F(RecordingOfAJournal, RefusesWhatIsMissingOrDamaged) {
  EXPECT_THROW(recording_from_journal(path_, "dgemm nn 8 x 8 x 8"), SettingError);
  EXPECT_THROW(recording_from_journal(directory_ / "none", "sgemm nn 8 x 8 x 8"), SettingError);
  std::ofstream(path_, std::ios::app) << R"({"measured":[[7,"staged",0,1,16,"both"]],"rounds":1,)"
                                      << R"("outcomes":[{"samples":[[1,1,1]],"cost":0}]})" << '\n';
  EXPECT_THROW(recording_from_journal(path_, "sgemm nn 9 x 9 x 9"), SettingError);
}

}  // namespace
}  // namespace duoblas

// The journal of tuning: what is written stays, whatever ended the process; what is damaged is kept
// aside and harms nothing.
#include "tuner/journal.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class TuningJournal : public ::testing::Test {
 protected:
  static JournalHeader header() { return {{"device", "driver 1", "processor x2", true}, "1"}; }
  static SearchSpace space() {
    SearchSpace space;
    space.kernels.resize(2);
    space.kernels[1].tile_rows = 4;
    space.sharings = {SharingMode::host_pointer, SharingMode::staged};
    space.cpus.resize(2);
    space.cpus[1].threads = 1;
    return space;
  }
  static Batch batch(int gpu_parts) {
    Batch batch;
    batch.trials = {{{0, 0, 0, gpu_parts}, Sides::both}, {{1, 1, 1, 16}, Sides::gpu}};
    return batch;
  }
  static std::vector<TrialOutcome> outcomes(double seconds) {
    TrialOutcome measured;
    measured.samples = {{seconds, seconds / 2, seconds, 0}, {2 * seconds, seconds, seconds, 0.5}};
    measured.cost = 3 * seconds;
    measured.beside = 0.5;
    TrialOutcome failed;
    failed.failed = true;
    failed.cost = 0.25;
    return {measured, failed};
  }
  // Two batches of one tuning case, then the process is gone.
  void tune_halfway() const {
    Journal journal(path_, header(), false);
    EXPECT_FALSE(journal.begin("request"));
    EXPECT_EQ(journal.begin_case("sgemm", 5), 5);
    for (const int parts : {4, 8}) {
      EXPECT_FALSE(journal.recorded(space(), batch(parts)).has_value());
      journal.measured(space(), batch(parts), outcomes(parts * 1e-3));
    }
  }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "journal.jsonl";
};

TEST_F(TuningJournal, AnswersATuningThatGoesOnWithWhatWasMeasured) {
  tune_halfway();
  Journal journal(path_, header(), false);
  EXPECT_TRUE(journal.begin("request"));
  EXPECT_EQ(journal.resumed(), 2);
  // The budget is the recorded one: other decisions would follow from another.
  EXPECT_EQ(journal.begin_case("sgemm", 3), 5);
  const auto first = journal.recorded(space(), batch(4));
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->size(), 2u);
  EXPECT_DOUBLE_EQ((*first)[0].samples.at(1).whole, 8e-3);
  EXPECT_DOUBLE_EQ((*first)[0].samples.at(1).gpu, 4e-3);
  EXPECT_DOUBLE_EQ((*first)[0].samples.at(1).joules, 0.5);
  EXPECT_DOUBLE_EQ((*first)[0].cost, 12e-3);
  EXPECT_DOUBLE_EQ((*first)[0].beside, 0.5);
  EXPECT_FALSE((*first)[0].failed);
  EXPECT_TRUE((*first)[1].failed);
  EXPECT_TRUE(journal.recorded(space(), batch(8)).has_value());
  EXPECT_FALSE(journal.replays());
  EXPECT_FALSE(journal.recorded(space(), batch(12)).has_value());
}

TEST_F(TuningJournal, OfALibraryWithFewerKernelFieldsIsReadWithTheirDefaults) {
  tune_halfway();
  const std::string whole = text();
  const std::string old =
      std::regex_replace(whole, std::regex("\"(raster|resident_groups)\":\\d+,"), "");
  ASSERT_LT(old.size(), whole.size());
  write(old);
  Journal journal(path_, header(), false);
  EXPECT_TRUE(journal.begin("request"));
  EXPECT_EQ(journal.begin_case("sgemm", 5), 5);
  for (const int parts : {4, 8})
    EXPECT_TRUE(journal.recorded(space(), batch(parts)).has_value()) << parts;
}

TEST_F(TuningJournal, TellsWhatRanWithOperandsOnTheDeviceFromWhatBroughtThem) {
  Batch on_device = batch(0);
  on_device.trials[0].sides = Sides::device;
  {
    Journal journal(path_, header(), false);
    journal.begin("request");
    journal.begin_case("sgemm", 5);
    journal.measured(space(), on_device, outcomes(1e-3));
  }
  {
    Journal journal(path_, header(), false);
    journal.begin("request");
    journal.begin_case("sgemm", 5);
    EXPECT_TRUE(journal.recorded(space(), on_device).has_value());
  }
  Journal journal(path_, header(), false);
  journal.begin("request");
  journal.begin_case("sgemm", 5);
  on_device.trials[0].sides = Sides::gpu;
  EXPECT_FALSE(journal.recorded(space(), on_device).has_value());
}

TEST_F(TuningJournal, ForgetsTheRestWhereATuningTakesAnotherWay) {
  tune_halfway();
  {
    Journal journal(path_, header(), false);
    EXPECT_TRUE(journal.begin("request"));
    journal.begin_case("sgemm", 5);
    EXPECT_FALSE(journal.recorded(space(), batch(12)).has_value());
    journal.measured(space(), batch(12), outcomes(1e-3));
    EXPECT_FALSE(journal.recorded(space(), batch(8)).has_value());
  }
  Journal journal(path_, header(), false);
  EXPECT_TRUE(journal.begin("request"));
  EXPECT_EQ(journal.resumed(), 1);
  journal.begin_case("sgemm", 5);
  EXPECT_TRUE(journal.recorded(space(), batch(12)).has_value());
}

TEST_F(TuningJournal, StartsAnewForAnotherRequest) {
  tune_halfway();
  Journal journal(path_, header(), false);
  EXPECT_FALSE(journal.begin("another request"));
  EXPECT_EQ(journal.resumed(), 0);
}

TEST_F(TuningJournal, KnowsThatTheSameTuningWasFinished) {
  tune_halfway();
  {
    Journal journal(path_, header(), false);
    EXPECT_FALSE(journal.is_done("request"));
    journal.begin("request");
    journal.finish();
  }
  Journal journal(path_, header(), false);
  EXPECT_TRUE(journal.is_done("request"));
  EXPECT_FALSE(journal.is_done("another request"));
  // Asked for all the same, its measurements are there.
  EXPECT_TRUE(journal.begin("request"));
  EXPECT_EQ(journal.resumed(), 2);
}

TEST_F(TuningJournal, LosesAtMostTheLineThatWasBeingWritten) {
  tune_halfway();
  const std::string whole = text();
  for (std::size_t cut = 0; cut < whole.size(); cut += 11) {
    const std::size_t length = whole.size() - cut;
    write(whole.substr(0, length));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<long>(length), '\n');
    Journal journal(path_, header(), false);
    // Without a whole header it could be any file: that is kept aside.
    EXPECT_EQ(journal.story().empty(), lines > 0) << "cut at " << length;
    journal.begin("request");
    const bool all = length == whole.size();
    EXPECT_EQ(journal.resumed(), all ? 2 : lines < 8 ? 0 : 1) << "cut at " << length;
  }
}

TEST_F(TuningJournal, RemembersWhatCameOfTryingKernels) {
  const KernelParams kernel = space().kernels[1];
  {
    Journal journal(path_, header(), false);
    EXPECT_FALSE(journal.verdict(kernel, "sgemm nn").has_value());
    journal.trying(kernel, "sgemm nn");
    journal.tried(kernel, "sgemm nn", {Verdict::hung, "no answer in 30 s", 30, 0});
  }
  Journal journal(path_, header(), false);
  const auto verdict = journal.verdict(kernel, "sgemm nn");
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->verdict, Verdict::hung);
  EXPECT_EQ(verdict->why, "no answer in 30 s");
  EXPECT_FALSE(journal.verdict(kernel, "sgemm nt").has_value());
  EXPECT_FALSE(journal.verdict(space().kernels[0], "sgemm nn").has_value());
}

TEST_F(TuningJournal, BlamesAKernelThatEndedTheTuningTwice) {
  const KernelParams kernel = space().kernels[0];
  for (int time = 0; time < 2; ++time) {
    Journal journal(path_, header(), false);
    EXPECT_FALSE(journal.verdict(kernel, "dgemm tn").has_value()) << time;
    journal.trying(kernel, "dgemm tn");
  }
  Journal journal(path_, header(), false);
  ASSERT_TRUE(journal.verdict(kernel, "dgemm tn").has_value());
  EXPECT_EQ(journal.verdict(kernel, "dgemm tn")->verdict, Verdict::crashed);
}

TEST_F(TuningJournal, BlamesAKernelWhoseFirstRunTheProcessDidNotSurviveTwice) {
  const KernelParams kernel = space().kernels[0];
  for (int time = 0; time < 2; ++time) {
    Journal journal(path_, header(), false);
    journal.begin("request");
    EXPECT_FALSE(journal.verdict(kernel, "dgemm nn").has_value()) << time;
    journal.measuring({kernel});
  }
  Journal journal(path_, header(), false);
  EXPECT_TRUE(journal.verdict(kernel, "dgemm nn").has_value());
}

TEST_F(TuningJournal, BlamesNoKernelForItsUsersInterruptions) {
  const KernelParams kernel = space().kernels[0];
  for (int time = 0; time < 3; ++time) {
    Journal journal(path_, header(), false);
    journal.begin("request");
    journal.trying(kernel, "dgemm nn");
    journal.measuring({kernel});
    constexpr std::size_t length = sizeof journal::interrupted_text - 1;
    ASSERT_EQ(::write(journal.descriptor(), journal::interrupted_text, length),
              static_cast<ssize_t>(length));
  }
  Journal journal(path_, header(), false);
  EXPECT_FALSE(journal.verdict(kernel, "dgemm nn").has_value());
}

TEST_F(TuningJournal, BlamesNoKernelWhereATuningEndsForAnotherReason) {
  const KernelParams kernel = space().kernels[0];
  for (int time = 0; time < 3; ++time) {
    Journal journal(path_, header(), false);
    EXPECT_FALSE(journal.verdict(kernel, "dgemm nn").has_value()) << time;
    journal.trying(kernel, "dgemm nn");
    journal.interrupted();
  }
}

TEST_F(TuningJournal, TellsWhatWasDecidedNext) {
  tune_halfway();
  Journal journal(path_, header(), false);
  journal.begin("request");
  EXPECT_EQ(journal.next_case(), "sgemm");
  EXPECT_EQ(journal.next_rounds(), std::nullopt);
  journal.begin_case("sgemm", 5);
  EXPECT_EQ(journal.next_case(), std::nullopt);
  EXPECT_EQ(journal.next_rounds(), 3);
  EXPECT_TRUE(journal.goes_on(3, false));
  EXPECT_FALSE(journal.goes_on(5, true)) << "then it did something else";
  for (const int parts : {4, 8}) EXPECT_TRUE(journal.recorded(space(), batch(parts)));
  EXPECT_TRUE(journal.goes_on(5, true));
  EXPECT_FALSE(journal.goes_on(3, false)) << "nothing is known of later";
}

TEST_F(TuningJournal, LeavesAFileAloneThatIsNoJournal) {
  for (const std::string text : {"one line without an end", "two lines\nof something else"}) {
    write(text);
    const Journal journal(path_, header(), false);
    const std::string story = journal.story();
    const std::string kept = story.substr(story.rfind(' ') + 1);
    std::ifstream file(kept);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text) << story;
  }
}

TEST_F(TuningJournal, IsWrittenByOneTuningAtATime) {
  const Journal journal(path_, header(), false);
  EXPECT_THROW(Journal(path_, header(), false), SettingError);
}

TEST_F(TuningJournal, ForgivesAnInterruptionOnceTheKernelRan) {
  const KernelParams kernel = space().kernels[0];
  for (const bool survives : {false, true, false}) {
    Journal journal(path_, header(), false);
    journal.begin("request");
    journal.measuring({kernel});
    if (survives) journal.measured(space(), batch(4), outcomes(1e-3));
  }
  Journal journal(path_, header(), false);
  EXPECT_FALSE(journal.verdict(kernel, "dgemm nn").has_value());
}

TEST_F(TuningJournal, KeepsADamagedFileAsideAndSaysWhy) {
  tune_halfway();
  const std::string whole = text();
  const std::size_t second = whole.find('\n') + 1;
  const struct {
    std::string text, says;
  } damages[] = {
      {"not a journal\n", "line 1"},
      {"{}\n", "line 1"},
      {whole.substr(0, second) + "{\"measured\":[[9,\"staged\",0,1,16,\"both\"]],\"rounds\":1,"
                                 "\"outcomes\":[{\"samples\":[],\"cost\":0}]}\n",
       "number"},
      {whole.substr(0, second) + "{\"kernel\":{\"tile_rows\":999}}\n", "line 2"},
      {whole.substr(0, second) + std::string(100, '[') + "\n", "deeply"},
      {whole.substr(0, second) + "{\"done\":true,\n", "line 2"},
      {whole.substr(0, second) + "{\"measured\":[],\"rounds\":1,\"outcomes\":[]}\n", "nothing"},
      {whole + whole, "second header"},
      {whole.substr(0, whole.find("\"version\":1")) + "\"version\":7" +
           whole.substr(whole.find("\"version\":1") + 11),
       "version"},
  };
  for (const auto& damage : damages) {
    write(damage.text);
    Journal journal(path_, header(), false);
    EXPECT_NE(journal.story().find(damage.says), std::string::npos) << journal.story();
    EXPECT_FALSE(journal.begin("request"));
    std::ifstream kept(journal.story().substr(journal.story().rfind(' ') + 1));
    const std::string found{std::istreambuf_iterator<char>(kept), {}};
    EXPECT_EQ(found, damage.text);
  }
}

TEST_F(TuningJournal, IsNotTakenFromAnotherMachineOrOtherKernels) {
  tune_halfway();
  JournalHeader other = header();
  other.key.driver = "driver 2";
  EXPECT_NE(Journal(path_, other, false).story(), "");
  EXPECT_EQ(Journal(path_, other, false).story(), "");
  other.code = "2";
  EXPECT_NE(Journal(path_, other, false).story(), "");
}

TEST_F(TuningJournal, StartsFreshButRemembersKernelsThatCrashed) {
  tune_halfway();
  const std::string whole = text();
  {
    Journal journal(path_, header(), false);
    journal.tried(space().kernels[0], "sgemm nn", {Verdict::crashed, "SIGSEGV", 1, 0});
    journal.tried(space().kernels[1], "sgemm nn", {Verdict::refused, "no registers", 1, 0});
  }
  Journal journal(path_, header(), true);
  EXPECT_EQ(journal.story(), "");
  EXPECT_FALSE(journal.begin("request"));
  EXPECT_TRUE(journal.verdict(space().kernels[0], "sgemm nn").has_value());
  EXPECT_FALSE(journal.verdict(space().kernels[1], "sgemm nn").has_value());
  EXPECT_TRUE(std::filesystem::exists(path_ + ".old"));
}

TEST_F(TuningJournal, RefusesWhatIsNoRegularFile) {
  std::filesystem::create_directory(path_);
  EXPECT_THROW(Journal(path_, header(), false), SettingError);
}

// Of a routine that memory bounds: what ended a process is remembered for good.
TEST_F(TuningJournal, RemembersTimedKernelsThatEndedAProcessWhateverIsAskedFor) {
  {
    Journal journal(path_, header(), false);
    journal.begin("gemv");
    journal.note({"sgemv n, slow", 0, "wrong"});
    journal.note({"sgemv n, hangs", 0, "it did not end in time", true});
  }
  for (const bool fresh : {false, true}) {
    Journal journal(path_, header(), fresh);
    journal.begin("gemv, all of it");
    EXPECT_FALSE(journal.timed("sgemv n, slow"));
    ASSERT_TRUE(journal.timed("sgemv n, hangs")) << fresh;
    EXPECT_EQ(journal.timed("sgemv n, hangs")->why, "it did not end in time");
  }
}

TEST_F(TuningJournal, BlamesAKernelWithWhichTwoTuningsEnded) {
  const auto begin = [&](bool interrupted) {
    Journal journal(path_, header(), false);
    journal.begin("gemv");
    const auto known = journal.timed("sgemv n, crashes");
    if (!known) journal.timing("sgemv n, crashes");
    if (interrupted) std::ofstream(path_, std::ios::app) << journal::interrupted_text;
    return known.has_value();
  };
  EXPECT_FALSE(begin(true)) << "its user ended that one";
  EXPECT_FALSE(begin(false));
  EXPECT_FALSE(begin(false)) << "once may be chance";
  EXPECT_TRUE(begin(false));
  Journal journal(path_, header(), false);
  journal.begin("gemv");
  journal.note({"sgemv n, crashes", 1e-3, ""});
  ASSERT_TRUE(journal.timed("sgemv n, crashes"));
  EXPECT_EQ(journal.timed("sgemv n, crashes")->seconds, 1e-3) << "it did no harm after all";
}

}  // namespace
}  // namespace duoblas

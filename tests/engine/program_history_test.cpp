// What runs of a program leave for later ones.
#include "engine/program_history.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/made_locale.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class AProgramHistory : public testing::Test {
 protected:
  AProgramHistory() { settings.cache_dir = folder.path(); }
  void is_read_by_later_runs() const {
    EXPECT_FALSE(ProgramHistory(settings).known({}));
    EXPECT_EQ(ProgramHistory(settings).starts().cost.until_ready, StartCost{}.until_ready);
    const ProgramWork work{2.75, 1.5, 0.625, {0, 7, 4294967295}};
    ProgramHistory(settings).remember(work);
    ProgramHistory(settings).remember({{31.5, 0.25}, {0.03125}});
    EXPECT_EQ(ProgramHistory(settings).known({}), work);
    const ProgramHistory::Starts starts = ProgramHistory(settings).starts();
    EXPECT_EQ(starts.ledger.worked, 31.5);
    EXPECT_EQ(starts.ledger.lost, 0.25);
    EXPECT_EQ(starts.cost.until_ready, 0.03125);
  }

  const test::TemporaryDirectory folder;
  Settings settings;
};

TEST_F(AProgramHistory, IsReadByLaterRuns) {
  is_read_by_later_runs();
}

TEST_F(AProgramHistory, IsTheSameInALocaleWithADecimalComma) {
  const test::MadeLocale locale("de_DE");
  is_read_by_later_runs();
}

TEST_F(AProgramHistory, EndsWhereTheMachineIsTunedAgain) {
  const test::TemporaryDirectory profiles;
  settings.profile_dir = profiles.path();
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
  EXPECT_TRUE(ProgramHistory(settings).known({}));
  std::filesystem::last_write_time(profiles.path(), std::filesystem::file_time_type::min());
  EXPECT_FALSE(ProgramHistory(settings).known({}));
}

TEST_F(AProgramHistory, OfOneDeviceIsNoneOfAnother) {
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
  settings.standin = true;
  EXPECT_FALSE(ProgramHistory(settings).known({}));
  settings.device = "another";
  EXPECT_FALSE(ProgramHistory(settings).known({}));
}

}  // namespace
}  // namespace duoblas

// After how many seconds of calls a device is started, as later runs of the program read it.
#include "engine/program_history.hpp"

#include <gtest/gtest.h>

#include "support/made_locale.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

TEST(ProgramHistory, IsReadByLaterRuns) {
  const test::TemporaryDirectory folder;
  EXPECT_FALSE(ProgramHistory(folder.path()).start_after());
  ProgramHistory(folder.path()).remember(2.75);
  EXPECT_EQ(ProgramHistory(folder.path()).start_after(), 2.75);
}

TEST(ProgramHistory, IsTheSameInALocaleWithADecimalComma) {
  const test::MadeLocale locale("de_DE");
  const test::TemporaryDirectory folder;
  ProgramHistory(folder.path()).remember(0.75);
  EXPECT_EQ(ProgramHistory(folder.path()).start_after(), 0.75);
}

}  // namespace
}  // namespace duoblas

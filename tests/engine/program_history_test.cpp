// After how many seconds of calls a device is started, as later runs of the program read it.
#include "engine/program_history.hpp"

#include <gtest/gtest.h>

#include "support/made_locale.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

TEST(ProgramHistory, IsReadByLaterRuns) {
  const test::TemporaryDirectory folder;
  EXPECT_FALSE(ProgramHistory(folder.path()).known());
  const KnownStart start{2.75, 31.5};
  ProgramHistory(folder.path()).remember(start);
  EXPECT_EQ(ProgramHistory(folder.path()).known(), start);
}

TEST(ProgramHistory, IsTheSameInALocaleWithADecimalComma) {
  const test::MadeLocale locale("de_DE");
  const test::TemporaryDirectory folder;
  const KnownStart start{0.75, 0.5};
  ProgramHistory(folder.path()).remember(start);
  EXPECT_EQ(ProgramHistory(folder.path()).known(), start);
}

}  // namespace
}  // namespace duoblas

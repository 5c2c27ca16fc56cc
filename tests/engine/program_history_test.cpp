// What runs of a program leave for later ones.
#include "engine/program_history.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "os/host_environment.hpp"
#include "support/made_locale.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

class AProgramHistory : public testing::Test {
 protected:
  AProgramHistory() { settings.cache_dir = folder.path(); }
  void is_read_by_later_runs() const {
    EXPECT_FALSE(ProgramHistory(settings).known(0));
    EXPECT_EQ(ProgramHistory(settings).sums().costs.until_ready, OutlayCosts{}.until_ready);
    const ProgramWork work{2.75, 1.5,  0.625, 1,
                           0.5,  0.25, 0.75,  {{0, 1, 0.5}, {4294967295, 1.75, 1}}};
    ProgramHistory(settings).remember(work);
    ProgramHistory(settings).update([](ProgramHistory::Sums& sums) {
      sums = {{31.5, 0.25, 4, 3}, {0.03125, 0.5, 0.75, 1.25}};
    });
    EXPECT_EQ(ProgramHistory(settings).known(0), work);
    const ProgramHistory::Sums sums = ProgramHistory(settings).sums();
    EXPECT_EQ(sums.ledger.worked, 31.5);
    EXPECT_EQ(sums.ledger.lost, 0.25);
    EXPECT_EQ(sums.ledger.hopes, 4);
    EXPECT_EQ(sums.ledger.paid, 3);
    EXPECT_EQ(sums.costs.until_ready, 0.03125);
    EXPECT_EQ(sums.costs.beside, 0.5);
    EXPECT_EQ(sums.costs.build, 0.75);
    EXPECT_EQ(sums.costs.checks, 1.25);
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

TEST_F(AProgramHistory, HoldsTheCallsOfClassesThatItKeeps) {
  ProgramWork work{2, 1, 0.5};
  work.classes = {{7, 1, 0.5}, {4294967295, 1, 0.5}};
  std::vector<KnownCall> calls;
  for (const std::uint32_t of_class : {7u, 8u, 4294967295u}) {
    calls.push_back({of_class, {}});
    calls.back().numbers.fill(of_class);
  }
  ProgramHistory(settings).remember(work, calls);
  const auto known = ProgramHistory(settings).calls();
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0], calls[0].numbers);
  EXPECT_EQ(known[1], calls[2].numbers);
  EXPECT_EQ(ProgramHistory(settings).known(0), work);
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5}, calls);
  EXPECT_TRUE(ProgramHistory(settings).calls().empty());
}

// Its library may not be loaded before main(), but the environment is there.
TEST_F(AProgramHistory, IsOfARunWithTheSameBlas) {
  for (const char* name : {"OPENBLAS_CORETYPE", "OMP_NUM_THREADS"}) {
    ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
    EXPECT_TRUE(ProgramHistory(settings).known(0));
    const ScopedVariable other(name, "7");
    EXPECT_FALSE(ProgramHistory(settings).known(0)) << name;
  }
}

TEST_F(AProgramHistory, EndsWhereTheMachineIsTunedAgain) {
  const test::TemporaryDirectory profiles;
  settings.profile_dir = profiles.path();
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
  std::ofstream(profiles / "blas.core-types") << "what `duoblas devices` and others write";
  EXPECT_TRUE(ProgramHistory(settings).known(0));
  std::ofstream(profiles / "device.json") << "a profile";
  EXPECT_FALSE(ProgramHistory(settings).known(0));
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
  EXPECT_TRUE(ProgramHistory(settings).known(0));
  std::filesystem::last_write_time(profiles / "device.json",
                                   std::filesystem::file_time_type::min());
  EXPECT_FALSE(ProgramHistory(settings).known(0));
}

TEST_F(AProgramHistory, OfOneDeviceIsNoneOfAnother) {
  ProgramHistory(settings).remember(ProgramWork{2, 1, 0.5});
  settings.standin = true;
  EXPECT_FALSE(ProgramHistory(settings).known(0));
  settings.device = "another";
  EXPECT_FALSE(ProgramHistory(settings).known(0));
}

// Each process's part is in the sums. None gives up its turn, however busy the machine is.
TEST_F(AProgramHistory, SumsWhatManyThatEndAtOnceLeave) {
  static constexpr HistoryFile::Wait long_enough{60'000};
  std::vector<std::thread> processes;
  for (int i = 0; i < 64; ++i)
    processes.emplace_back([this] {
      const ProgramHistory own(settings);
      own.remember(ProgramWork{2, 1, 0.5}, {}, long_enough);
      own.update([](ProgramHistory::Sums& sums) { sums.ledger.worked += 1; }, long_enough);
    });
  for (std::thread& process : processes) process.join();
  EXPECT_EQ(ProgramHistory(settings).sums().ledger.worked, 64);
}

}  // namespace
}  // namespace duoblas
